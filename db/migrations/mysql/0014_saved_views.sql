CREATE TABLE `saved_views` (
	`id` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`user_id` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`name` varbinary(160) NOT NULL,
	`query` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`created_at` bigint NOT NULL,
	CONSTRAINT `saved_views_id` PRIMARY KEY(`id`),
	CONSTRAINT `saved_views_name` UNIQUE(`user_id`,`name`)
);
