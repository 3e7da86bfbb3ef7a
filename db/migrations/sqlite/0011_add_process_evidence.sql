CREATE TABLE `process_evidence` (
	`holder` text NOT NULL,
	`kind` text NOT NULL,
	`witness` text NOT NULL,
	`state` text NOT NULL,
	`first_at` integer NOT NULL,
	`at` integer NOT NULL,
	`since` integer,
	`evidence` text NOT NULL,
	PRIMARY KEY(`holder`, `kind`, `witness`)
);
--> statement-breakpoint
CREATE INDEX `process_evidence_at` ON `process_evidence` (`at`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `purpose` text DEFAULT 'service' NOT NULL;