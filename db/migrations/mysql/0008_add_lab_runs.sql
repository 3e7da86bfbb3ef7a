CREATE TABLE `lab_runs` (
	`id` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`slot` varchar(8) character set ascii collate ascii_bin,
	`started_at` bigint NOT NULL,
	`started_by` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`seen_at` bigint NOT NULL,
	`stopped_by` mediumtext character set utf8mb4 collate utf8mb4_bin,
	`ended_at` bigint,
	`ended_by` varchar(16) character set ascii collate ascii_bin,
	`message` mediumtext character set utf8mb4 collate utf8mb4_bin,
	`settings` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`result` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`progress` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `lab_runs_id` PRIMARY KEY(`id`),
	CONSTRAINT `lab_runs_slot` UNIQUE(`slot`)
);
--> statement-breakpoint
CREATE INDEX `lab_runs_started` ON `lab_runs` (`started_at`);