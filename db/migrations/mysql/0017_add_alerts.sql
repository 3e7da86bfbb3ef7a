CREATE TABLE `alert_receivers` (
	`id` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`position` bigint NOT NULL,
	`message_at` bigint,
	`message_id` varchar(32) character set ascii collate ascii_bin,
	`message` mediumtext character set utf8mb4 collate utf8mb4_bin,
	`attempts` int NOT NULL,
	`next_attempt_at` bigint NOT NULL,
	`sent` bigint NOT NULL,
	`sent_at` bigint,
	`failure` mediumtext character set utf8mb4 collate utf8mb4_bin,
	CONSTRAINT `alert_receivers_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `alert_rules` (
	`namespace` varbinary(64) NOT NULL,
	`rules` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `alert_rules_namespace` PRIMARY KEY(`namespace`)
);
--> statement-breakpoint
CREATE TABLE `alert_silences` (
	`id` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`matcher` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`reason` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`actor` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`created_at` bigint NOT NULL,
	`ends_at` bigint NOT NULL,
	CONSTRAINT `alert_silences_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`open_for` varbinary(340),
	`kind` varchar(16) character set ascii collate ascii_bin NOT NULL,
	`backend` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`namespace` varbinary(64) NOT NULL,
	`name` varbinary(200),
	`since` bigint NOT NULL,
	`fired_at` bigint NOT NULL,
	`announced_at` bigint,
	`resolved_at` bigint,
	`position` bigint NOT NULL,
	`sentence` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `alerts_id` PRIMARY KEY(`id`),
	CONSTRAINT `alerts_open` UNIQUE(`open_for`)
);
--> statement-breakpoint
CREATE INDEX `alert_silences_end` ON `alert_silences` (`ends_at`);--> statement-breakpoint
CREATE INDEX `alerts_resolved` ON `alerts` (`resolved_at`);--> statement-breakpoint
CREATE INDEX `alerts_position` ON `alerts` (`position`);