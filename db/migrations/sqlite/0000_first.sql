CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`namespaces` text NOT NULL,
	`secret_hash` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`intent` text NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`actor_kind` text NOT NULL,
	`address` text NOT NULL,
	`act` text NOT NULL,
	`namespace` text,
	`subject` text NOT NULL,
	`reason` text NOT NULL,
	`seen` text NOT NULL,
	`outcome` text NOT NULL,
	`result` text NOT NULL,
	`closed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_intent` ON `audit` (`intent`);--> statement-breakpoint
CREATE INDEX `audit_outcome` ON `audit` (`outcome`,`at`);--> statement-breakpoint
CREATE TABLE `backends` (
	`id` text PRIMARY KEY NOT NULL,
	`epoch` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `cursors` (
	`id` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `lock_events` (
	`history_id` integer NOT NULL,
	`place` integer NOT NULL,
	`lock_id` text NOT NULL,
	`backend` text NOT NULL,
	`at` integer NOT NULL,
	`rev` integer NOT NULL,
	`kind` text NOT NULL,
	`body` text NOT NULL,
	PRIMARY KEY(`backend`, `history_id`, `place`)
);
--> statement-breakpoint
CREATE INDEX `lock_events_lock` ON `lock_events` (`lock_id`,`rev`);--> statement-breakpoint
CREATE INDEX `lock_events_at` ON `lock_events` (`at`);--> statement-breakpoint
CREATE TABLE `lock_history` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`changes` text NOT NULL,
	`took` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `lock_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`input_hash` text NOT NULL,
	`answer` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `lock_requests_expires` ON `lock_requests` (`expires_at`);--> statement-breakpoint
CREATE TABLE `locks` (
	`id` text PRIMARY KEY NOT NULL,
	`rev` integer NOT NULL,
	`writer` text NOT NULL,
	`head` text NOT NULL,
	`queue` text NOT NULL,
	`changed_at` integer NOT NULL,
	`seen` text DEFAULT '' NOT NULL,
	`past` integer DEFAULT 0 NOT NULL,
	`ahead` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `namespaces` (
	`id` text PRIMARY KEY NOT NULL,
	`backend` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE TABLE `settings` (
	`id` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`changed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sign_in_failures` (
	`id` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`window_started_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`password_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`disabled_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_name` ON `users` (`name`);