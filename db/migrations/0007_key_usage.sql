CREATE TABLE "key_usage" (
	"day" date NOT NULL,
	"key_id" text NOT NULL,
	"integrator" text NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "key_usage_day_key_id_pk" PRIMARY KEY("day","key_id")
);
