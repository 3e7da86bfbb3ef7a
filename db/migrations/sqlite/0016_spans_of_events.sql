ALTER TABLE `lock_events` ADD `span` integer;--> statement-breakpoint
CREATE INDEX `lock_events_lock_at` ON `lock_events` (`lock_id`,`at`);--> statement-breakpoint
CREATE INDEX `lock_events_span` ON `lock_events` (`span`,`at`);