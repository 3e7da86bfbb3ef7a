CREATE TABLE `deadlocks` (
	`id` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`since` bigint NOT NULL,
	`found_at` bigint NOT NULL,
	`ended_at` bigint,
	`ended_by` varchar(16) character set ascii collate ascii_bin,
	`operator` mediumtext character set utf8mb4 collate utf8mb4_bin,
	`waiting` int NOT NULL,
	`steps` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `deadlocks_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE INDEX `deadlocks_found` ON `deadlocks` (`found_at`);