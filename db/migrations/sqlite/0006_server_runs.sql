ALTER TABLE `backends` ADD `replication_id` text;--> statement-breakpoint
ALTER TABLE `backends` ADD `is_durable` integer;--> statement-breakpoint
ALTER TABLE `backends` ADD `evicted_keys` integer;