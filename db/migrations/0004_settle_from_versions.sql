DROP INDEX "listing_versions_of";--> statement-breakpoint
ALTER TABLE "listing_versions" ADD COLUMN "raw_service_type" text;--> statement-breakpoint
ALTER TABLE "listing_versions" ADD COLUMN "name_error" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "unsettled_from" bigint;--> statement-breakpoint
CREATE INDEX "listing_versions_of" ON "listing_versions" USING btree ("network","service_type","publisher","checkpoint","tx_index","event_index");