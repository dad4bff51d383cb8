CREATE TABLE "catalog_entries" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"package_id" text NOT NULL,
	"manifest_uri" text NOT NULL,
	"manifest_hash" text NOT NULL,
	"version" integer NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"publisher_verified" boolean NOT NULL,
	"warnings" jsonb NOT NULL,
	"op_misfits" jsonb NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	"registered_checkpoint" bigint NOT NULL,
	"registered_tx_index" integer NOT NULL,
	"registered_event_index" integer NOT NULL,
	"name" text NOT NULL,
	"name_skeleton" text,
	"category" text NOT NULL,
	"integrator" text,
	"coins" text[] NOT NULL,
	"search_text" text NOT NULL,
	"front" boolean DEFAULT false NOT NULL,
	"shown" boolean GENERATED ALWAYS AS (front and publisher_verified) STORED NOT NULL,
	"actions" bigint DEFAULT 0 NOT NULL,
	"unique_vaults" integer DEFAULT 0 NOT NULL,
	"last_action_at" timestamp with time zone,
	"review_count" integer DEFAULT 0 NOT NULL,
	"score_sum" bigint DEFAULT 0 NOT NULL,
	"verified_count" integer DEFAULT 0 NOT NULL,
	"verified_sum" bigint DEFAULT 0 NOT NULL,
	"last_review_at" timestamp with time zone,
	"pending_version" integer,
	"pending_package_id" text,
	"pending_manifest_uri" text,
	"pending_state" text,
	"leaves_at" timestamp with time zone,
	"revision" bigint NOT NULL,
	CONSTRAINT "catalog_entries_network_service_type_publisher_pk" PRIMARY KEY("network","service_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "catalog_removals" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"revision" bigint NOT NULL,
	CONSTRAINT "catalog_removals_network_service_type_publisher_pk" PRIMARY KEY("network","service_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"attester" text NOT NULL,
	"checkpoint" bigint NOT NULL,
	"tx_index" integer NOT NULL,
	"event_index" integer NOT NULL,
	"score" smallint NOT NULL,
	"comment_uri" text NOT NULL,
	"timestamp" timestamp with time zone NOT NULL,
	"verified" boolean NOT NULL,
	CONSTRAINT "reviews_network_service_type_attester_pk" PRIMARY KEY("network","service_type","attester")
);
--> statement-breakpoint
DROP INDEX "listings_alike";--> statement-breakpoint
CREATE UNIQUE INDEX "catalog_entries_front" ON "catalog_entries" USING btree ("network","service_type") WHERE front;--> statement-breakpoint
CREATE INDEX "catalog_entries_of_service" ON "catalog_entries" USING btree ("network","service_type","publisher_verified" DESC NULLS LAST,"registered_checkpoint","registered_tx_index","registered_event_index");--> statement-breakpoint
CREATE INDEX "catalog_entries_alike" ON "catalog_entries" USING btree ("network","name_skeleton","registered_checkpoint","registered_tx_index","registered_event_index") WHERE shown;--> statement-breakpoint
CREATE INDEX "catalog_entries_revision" ON "catalog_entries" USING btree ("network","revision");--> statement-breakpoint
CREATE INDEX "catalog_entries_leaving" ON "catalog_entries" USING btree ("network","leaves_at") WHERE leaves_at is not null;--> statement-breakpoint
CREATE INDEX "catalog_entries_by_usage" ON "catalog_entries" USING btree ("network",(-actions),(-unique_vaults),service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_by_rating" ON "catalog_entries" USING btree ("network",(-coalesce(score_sum::numeric / nullif(review_count, 0), 0)),(-review_count),service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_by_update" ON "catalog_entries" USING btree ("network","updated_at",service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_by_name" ON "catalog_entries" USING btree ("network",(lower(name) collate "C"),service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_removals_revision" ON "catalog_removals" USING btree ("network","revision");--> statement-breakpoint
CREATE INDEX "reviews_of" ON "reviews" USING btree ("network","service_type","checkpoint","tx_index","event_index");--> statement-breakpoint
INSERT INTO "reviews" ("network", "service_type", "attester", "checkpoint", "tx_index", "event_index", "score", "comment_uri", "timestamp", "verified")
SELECT DISTINCT ON (a."network", a."service_type", a."attester") a."network", a."service_type", a."attester", a."checkpoint", a."tx_index", a."event_index", a."score", a."comment_uri", a."timestamp",
	EXISTS (SELECT FROM "service_actors" s WHERE s."network" = a."network" AND s."service_type" = a."service_type" AND s."actor" = a."attester" AND (s."checkpoint", s."tx_index", s."event_index") < (a."checkpoint", a."tx_index", a."event_index"))
FROM "attestations" a
ORDER BY a."network", a."service_type", a."attester", a."checkpoint" DESC, a."tx_index" DESC, a."event_index" DESC;
--> statement-breakpoint
INSERT INTO "catalog_entries" ("network", "service_type", "publisher", "package_id", "manifest_uri", "manifest_hash", "version", "updated_at", "publisher_verified", "warnings", "op_misfits", "registered_at", "registered_checkpoint", "registered_tx_index", "registered_event_index", "name", "name_skeleton", "category", "integrator", "coins", "search_text", "revision")
SELECT l."network", l."service_type", l."publisher", l."package_id", l."manifest_uri", l."manifest_hash", l."version", l."updated_at", l."publisher_check" = 'verified', l."witness_warnings", l."op_misfits", l."registered_at", l."registered_checkpoint", l."registered_tx_index", l."registered_event_index",
	coalesce(l."name", m."body"->>'name', ''), l."name_skeleton", coalesce(m."body"->>'category', ''), m."body"->>'integrator',
	array(SELECT jsonb_array_elements_text(CASE jsonb_typeof(m."body"->'supportedCoins') WHEN 'array' THEN m."body"->'supportedCoins' ELSE '[]' END)),
	lower(concat_ws(e'\n', m."body"->>'name', coalesce(m."body"->>'integrator', ''), m."body"->>'summary', l."service_type")),
	coalesce((SELECT c."version" FROM "catalog_state" c WHERE c."network" = l."network"), 0) + 1
FROM "listings" l
JOIN "manifests" m ON m."hash" = l."manifest_hash"
JOIN "manifest_fetches" f ON f."network" = l."network" AND f."hash" = l."manifest_hash" AND f."uri" = l."manifest_uri" AND f."status" = 'verified'
WHERE l."listed" AND l."name_error" IS NULL AND l."manifest_error" IS NULL AND l."witness_check" = 'valid';
--> statement-breakpoint
UPDATE "catalog_entries" e SET "front" = true, "actions" = coalesce(u."actions", 0), "unique_vaults" = coalesce(u."unique_vaults", 0), "last_action_at" = u."last_action_at",
	"review_count" = r."review_count", "score_sum" = r."score_sum", "verified_count" = r."verified_count", "verified_sum" = r."verified_sum", "last_review_at" = r."last_review_at"
FROM (
	SELECT DISTINCT ON ("network", "service_type") * FROM "catalog_entries"
	ORDER BY "network", "service_type", "publisher_verified" DESC, "registered_checkpoint", "registered_tx_index", "registered_event_index"
) own
LEFT JOIN "service_usage" u ON u."network" = own."network" AND u."service_type" = own."service_type"
CROSS JOIN LATERAL (
	SELECT count(*)::int AS "review_count", coalesce(sum("score"), 0) AS "score_sum", (count(*) FILTER (WHERE "verified"))::int AS "verified_count",
		coalesce(sum("score") FILTER (WHERE "verified"), 0) AS "verified_sum", max("timestamp") AS "last_review_at"
	FROM "reviews" r
	WHERE r."network" = own."network" AND r."service_type" = own."service_type"
		AND (r."checkpoint", r."tx_index", r."event_index") > (own."registered_checkpoint", own."registered_tx_index", own."registered_event_index")
) r
WHERE e."network" = own."network" AND e."service_type" = own."service_type" AND e."publisher" = own."publisher";
--> statement-breakpoint
UPDATE "catalog_state" SET "version" = "version" + 1, "changed_at" = now();
--> statement-breakpoint
-- A server may not have the extension, or may refuse it to this user. Search then goes by prefix.
DO $$ BEGIN
	CREATE EXTENSION IF NOT EXISTS "pg_trgm";
	CREATE INDEX "catalog_entries_search" ON "catalog_entries" USING gin ("search_text" gin_trgm_ops) WITH (fastupdate = off);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
	RAISE WARNING 'pg_trgm cannot be created: %. Search goes by prefix.', SQLERRM;
END $$;
