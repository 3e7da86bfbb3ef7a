CREATE TABLE `lock_presence` (
	`lock_id` varbinary(265) NOT NULL,
	`token` bigint,
	`actor` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`at` bigint NOT NULL,
	`until` bigint NOT NULL,
	CONSTRAINT `lock_presence_lock_id` PRIMARY KEY(`lock_id`)
);
--> statement-breakpoint
CREATE INDEX `lock_presence_until` ON `lock_presence` (`until`);