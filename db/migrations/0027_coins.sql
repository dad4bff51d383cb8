CREATE TABLE "coins" (
	"network" text NOT NULL,
	"coin_type" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"symbol" text,
	"decimals" smallint,
	"name" text,
	"checked_at" timestamp with time zone,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now(),
	CONSTRAINT "coins_network_coin_type_pk" PRIMARY KEY("network","coin_type")
);
--> statement-breakpoint
CREATE INDEX "coins_due_checks" ON "coins" USING btree ("network","next_check_at") WHERE next_check_at is not null;
--> statement-breakpoint
-- Coins that were indexed before are checked like those that come.
INSERT INTO "coins" ("network", "coin_type")
SELECT "network", "coin" FROM "service_coin_days"
UNION
SELECT "network", "coin" FROM "jobs" WHERE "coin" IS NOT NULL AND "state" > 0;
