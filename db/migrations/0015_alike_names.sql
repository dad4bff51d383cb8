ALTER TABLE "listings" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "listings" ADD COLUMN "name_skeleton" text;--> statement-breakpoint
CREATE INDEX "listings_alike" ON "listings" USING btree ("network","name_skeleton","registered_checkpoint","registered_tx_index","registered_event_index") WHERE listed and name_error is null and manifest_error is null and witness_check = 'valid' and publisher_check = 'verified';--> statement-breakpoint
UPDATE "catalog_state" SET "version" = "version" + 1, "changed_at" = now();
