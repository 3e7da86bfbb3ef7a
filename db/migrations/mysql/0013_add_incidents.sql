CREATE TABLE `incidents` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`open_for` varbinary(300),
	`backend` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`namespace` varbinary(64) NOT NULL,
	`name` varbinary(200) NOT NULL,
	`status` varchar(16) character set ascii collate ascii_bin NOT NULL,
	`began_at` bigint NOT NULL,
	`read_at` bigint NOT NULL,
	`waiters` int NOT NULL,
	`cleared_at` bigint,
	`ended_at` bigint,
	`waiter_ms` bigint NOT NULL,
	`waiters_max` int NOT NULL,
	`blocking_max_ms` bigint NOT NULL,
	`actors` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`facts` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `incidents_id` PRIMARY KEY(`id`),
	CONSTRAINT `incidents_open` UNIQUE(`open_for`)
);
--> statement-breakpoint
CREATE TABLE `lock_heat` (
	`step_ms` bigint NOT NULL,
	`at` bigint NOT NULL,
	`backend` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`lock_id` varbinary(265) NOT NULL,
	`waiter_ms` bigint NOT NULL,
	`status` varchar(16) character set ascii collate ascii_bin NOT NULL,
	CONSTRAINT `lock_heat_pk` PRIMARY KEY(`step_ms`,`at`,`backend`,`lock_id`)
);
--> statement-breakpoint
CREATE INDEX `incidents_began` ON `incidents` (`began_at`);--> statement-breakpoint
CREATE INDEX `incidents_ended` ON `incidents` (`ended_at`);