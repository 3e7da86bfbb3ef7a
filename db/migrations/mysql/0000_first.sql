CREATE TABLE `api_keys` (
	`id` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`name` varbinary(64) NOT NULL,
	`namespaces` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`secret_hash` varchar(64) character set ascii collate ascii_bin NOT NULL,
	`created_by` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`created_at` bigint NOT NULL,
	`last_used_at` bigint,
	`revoked_at` bigint,
	CONSTRAINT `api_keys_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`intent` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`at` bigint NOT NULL,
	`actor` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`actor_kind` varchar(16) character set ascii collate ascii_bin NOT NULL,
	`address` varchar(64) character set ascii collate ascii_bin NOT NULL,
	`act` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`namespace` varbinary(64),
	`subject` varbinary(255) NOT NULL,
	`reason` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`seen` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`outcome` varchar(16) character set ascii collate ascii_bin NOT NULL,
	`result` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`closed_at` bigint,
	CONSTRAINT `audit_id` PRIMARY KEY(`id`),
	CONSTRAINT `audit_intent` UNIQUE(`intent`)
);
--> statement-breakpoint
CREATE TABLE `backends` (
	`id` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`epoch` int NOT NULL,
	`created_at` bigint NOT NULL,
	CONSTRAINT `backends_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `cursors` (
	`id` varchar(64) character set ascii collate ascii_bin NOT NULL,
	`position` bigint NOT NULL,
	CONSTRAINT `cursors_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `lock_events` (
	`history_id` bigint NOT NULL,
	`place` int NOT NULL,
	`lock_id` varbinary(265) NOT NULL,
	`backend` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`at` bigint NOT NULL,
	`rev` bigint NOT NULL,
	`kind` varchar(16) character set ascii collate ascii_bin NOT NULL,
	`body` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `lock_events_pk` PRIMARY KEY(`backend`,`history_id`,`place`)
);
--> statement-breakpoint
CREATE TABLE `lock_history` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`at` bigint NOT NULL,
	`changes` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`took` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `lock_history_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `lock_requests` (
	`id` varchar(22) character set ascii collate ascii_bin NOT NULL,
	`input_hash` varchar(22) character set ascii collate ascii_bin NOT NULL,
	`answer` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`expires_at` bigint NOT NULL,
	CONSTRAINT `lock_requests_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `locks` (
	`id` varbinary(265) NOT NULL,
	`rev` bigint NOT NULL,
	`writer` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`head` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`queue` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`changed_at` bigint NOT NULL,
	`seen` varchar(48) character set ascii collate ascii_bin NOT NULL DEFAULT '',
	`past` bigint NOT NULL DEFAULT 0,
	`ahead` bigint NOT NULL DEFAULT 0,
	CONSTRAINT `locks_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `namespaces` (
	`id` varbinary(64) NOT NULL,
	`backend` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`created_at` bigint NOT NULL,
	CONSTRAINT `namespaces_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` varchar(64) character set ascii collate ascii_bin NOT NULL,
	`user_id` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`created_at` bigint NOT NULL,
	`seen_at` bigint NOT NULL,
	`expires_at` bigint NOT NULL,
	CONSTRAINT `sessions_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `settings` (
	`id` varchar(96) character set ascii collate ascii_bin NOT NULL,
	`value` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`changed_at` bigint NOT NULL,
	CONSTRAINT `settings_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `sign_in_failures` (
	`id` varchar(64) character set ascii collate ascii_bin NOT NULL,
	`failures` int NOT NULL,
	`window_started_at` bigint NOT NULL,
	CONSTRAINT `sign_in_failures_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` varchar(24) character set ascii collate ascii_bin NOT NULL,
	`name` varbinary(128) NOT NULL,
	`role` varchar(16) character set ascii collate ascii_bin NOT NULL,
	`password_hash` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`created_at` bigint NOT NULL,
	`disabled_at` bigint,
	CONSTRAINT `users_id` PRIMARY KEY(`id`),
	CONSTRAINT `users_name` UNIQUE(`name`)
);
--> statement-breakpoint
CREATE INDEX `audit_outcome` ON `audit` (`outcome`,`at`);--> statement-breakpoint
CREATE INDEX `lock_events_lock` ON `lock_events` (`lock_id`,`rev`);--> statement-breakpoint
CREATE INDEX `lock_events_at` ON `lock_events` (`at`);--> statement-breakpoint
CREATE INDEX `lock_requests_expires` ON `lock_requests` (`expires_at`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);