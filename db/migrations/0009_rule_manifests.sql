ALTER TABLE "rules" ADD COLUMN "manifest_error" text;--> statement-breakpoint
CREATE INDEX "rules_manifest" ON "rules" USING btree ("network","manifest_hash","manifest_uri");--> statement-breakpoint
INSERT INTO "manifest_fetches" ("network", "hash", "uri") SELECT DISTINCT "network", "manifest_hash", "manifest_uri" FROM "rules" ON CONFLICT DO NOTHING;
