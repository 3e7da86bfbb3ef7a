ALTER TABLE `backends` ADD `life` text;--> statement-breakpoint
ALTER TABLE `backends` ADD `run_id` text;--> statement-breakpoint
ALTER TABLE `backends` ADD `beat` integer;--> statement-breakpoint
ALTER TABLE `backends` ADD `longest_lease_ms` integer;--> statement-breakpoint
ALTER TABLE `backends` ADD `loss_at` integer;--> statement-breakpoint
ALTER TABLE `backends` ADD `loss_what` text;