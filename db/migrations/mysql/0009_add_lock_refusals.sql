CREATE TABLE `lock_refusals` (
	`backend` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`lock_id` varbinary(265) NOT NULL,
	`minute` bigint NOT NULL,
	`process` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`attempts` int NOT NULL,
	`counts` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`written_at` bigint NOT NULL,
	CONSTRAINT `lock_refusals_pk` PRIMARY KEY(`backend`,`lock_id`,`minute`,`process`)
);
--> statement-breakpoint
CREATE INDEX `lock_refusals_minute` ON `lock_refusals` (`minute`);--> statement-breakpoint
CREATE INDEX `lock_refusals_written` ON `lock_refusals` (`written_at`);