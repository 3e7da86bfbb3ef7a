ALTER TABLE `sessions` ADD `browser` varchar(64) character set ascii collate ascii_bin;--> statement-breakpoint
ALTER TABLE `sessions` ADD `address` varchar(64) character set ascii collate ascii_bin;