CREATE TABLE `lock_minutes` (
	`backend` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`lock_id` varbinary(265) NOT NULL,
	`minute` bigint NOT NULL,
	`grants` int NOT NULL,
	`timeouts` int NOT NULL,
	`expiries` int NOT NULL,
	`forced` int NOT NULL,
	`waits` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`holds` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `lock_minutes_pk` PRIMARY KEY(`backend`,`lock_id`,`minute`)
);
--> statement-breakpoint
CREATE TABLE `lock_weeks` (
	`backend` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`lock_id` varbinary(265) NOT NULL,
	`week` bigint NOT NULL,
	`holds` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`counted_to` bigint NOT NULL,
	CONSTRAINT `lock_weeks_pk` PRIMARY KEY(`backend`,`lock_id`,`week`)
);
--> statement-breakpoint
CREATE INDEX `lock_minutes_minute` ON `lock_minutes` (`minute`);--> statement-breakpoint
CREATE INDEX `lock_weeks_counted` ON `lock_weeks` (`backend`,`counted_to`);--> statement-breakpoint
CREATE INDEX `lock_weeks_week` ON `lock_weeks` (`week`);