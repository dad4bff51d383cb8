DROP INDEX "events_public_id";--> statement-breakpoint
CREATE INDEX "registry_events_by_id" ON "events" USING hash (((tx_digest || ':') || event_index::text)) WHERE source = 'registry';--> statement-breakpoint
CREATE INDEX "registry_events_by_time" ON "events" USING btree ("timestamp") WHERE source = 'registry';--> statement-breakpoint
CREATE INDEX "registry_events_by_sender" ON "events" USING btree ("sender","timestamp") WHERE source = 'registry';