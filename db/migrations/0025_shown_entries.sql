ALTER TABLE "catalog_state" ADD COLUMN "shown" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "catalog_state" s SET "shown" = (
	SELECT count(*) FROM "catalog_entries" e WHERE e."network" = s."network" AND e."shown"
);
