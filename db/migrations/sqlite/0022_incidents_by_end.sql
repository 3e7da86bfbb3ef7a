DROP INDEX `incidents_ended`;--> statement-breakpoint
CREATE INDEX `incidents_ended` ON `incidents` (`ended_at`,`began_at`);