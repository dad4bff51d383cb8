CREATE TABLE "service_coin_days" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"day" date NOT NULL,
	"coin" text NOT NULL,
	"actions" bigint NOT NULL,
	"taken" numeric(38, 0) NOT NULL,
	"brought" numeric(38, 0) NOT NULL,
	CONSTRAINT "service_coin_days_network_service_type_day_coin_pk" PRIMARY KEY("network","service_type","day","coin")
);
--> statement-breakpoint
CREATE TABLE "service_days" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"day" date NOT NULL,
	"actions" bigint NOT NULL,
	"wallets" integer NOT NULL,
	CONSTRAINT "service_days_network_service_type_day_pk" PRIMARY KEY("network","service_type","day")
);
--> statement-breakpoint
ALTER TABLE "service_actions" ADD COLUMN "coins" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "service_actions" ADD COLUMN "taken" numeric(38, 0)[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "service_actions" ADD COLUMN "brought" numeric(38, 0)[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
UPDATE "service_actions" a SET "coins" = m."coins", "taken" = m."taken", "brought" = m."brought"
FROM (
	SELECT "network", "checkpoint", "tx_index", "wallet_id", "service_type", array_agg("coin" ORDER BY "coin") AS "coins", array_agg("taken" ORDER BY "coin") AS "taken", array_agg("brought" ORDER BY "coin") AS "brought"
	FROM (
		SELECT "network", "checkpoint", "tx_index", "data"->>'walletId' AS "wallet_id", "data"->>'service' AS "service_type", "data"->>'coin' AS "coin",
			coalesce(sum(("data"->>'amount')::numeric) FILTER (WHERE "name" = 'CoinWithdrawn'), 0) AS "taken",
			coalesce(sum(("data"->>'amount')::numeric) FILTER (WHERE "name" = 'CoinDeposited'), 0) AS "brought"
		FROM "events"
		WHERE "source" = 'wallet' AND "name" IN ('CoinWithdrawn', 'CoinDeposited') AND "data"->>'service' IS NOT NULL AND "data"->>'amount' <> '0'
		GROUP BY 1, 2, 3, 4, 5, 6
	) of_coin
	GROUP BY 1, 2, 3, 4, 5
) m
WHERE a."network" = m."network" AND a."checkpoint" = m."checkpoint" AND a."tx_index" = m."tx_index" AND a."wallet_id" = m."wallet_id" AND a."service_type" = m."service_type";
--> statement-breakpoint
-- What is not settled yet is added when the indexer settles it.
CREATE TEMPORARY VIEW "settled_actions" AS
SELECT a.*, (a."timestamp" AT TIME ZONE 'UTC')::date AS "day" FROM "service_actions" a
LEFT JOIN "sources" s ON s."network" = a."network" AND s."name" = 'wallet'
WHERE s."unsettled_from" IS NULL OR (a."checkpoint", a."tx_index") < (s."unsettled_from", coalesce(s."unsettled_tx_index", 0));
--> statement-breakpoint
INSERT INTO "service_days" ("network", "service_type", "day", "actions", "wallets")
SELECT "network", "service_type", "day", count(*), count(DISTINCT "wallet_id") FROM "settled_actions" GROUP BY 1, 2, 3;
--> statement-breakpoint
INSERT INTO "service_coin_days" ("network", "service_type", "day", "coin", "actions", "taken", "brought")
SELECT "network", "service_type", "day", m."coin", count(*), sum(m."taken"), sum(m."brought")
FROM "settled_actions" a CROSS JOIN unnest(a."coins", a."taken", a."brought") AS m ("coin", "taken", "brought") GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
DROP VIEW "settled_actions";
