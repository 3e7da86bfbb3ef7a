CREATE TABLE `alert_receivers` (
	`id` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`message_at` integer,
	`message_id` text,
	`message` text,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`sent` integer NOT NULL,
	`sent_at` integer,
	`failure` text
);
--> statement-breakpoint
CREATE TABLE `alert_rules` (
	`namespace` text PRIMARY KEY NOT NULL,
	`rules` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `alert_silences` (
	`id` text PRIMARY KEY NOT NULL,
	`matcher` text NOT NULL,
	`reason` text NOT NULL,
	`actor` text NOT NULL,
	`created_at` integer NOT NULL,
	`ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `alert_silences_end` ON `alert_silences` (`ends_at`);--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`open_for` text,
	`kind` text NOT NULL,
	`backend` text NOT NULL,
	`namespace` text NOT NULL,
	`name` text,
	`since` integer NOT NULL,
	`fired_at` integer NOT NULL,
	`announced_at` integer,
	`resolved_at` integer,
	`position` integer NOT NULL,
	`sentence` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_open` ON `alerts` (`open_for`);--> statement-breakpoint
CREATE INDEX `alerts_resolved` ON `alerts` (`resolved_at`);--> statement-breakpoint
CREATE INDEX `alerts_position` ON `alerts` (`position`);