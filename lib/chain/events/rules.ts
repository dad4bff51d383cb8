import { address, count, flag, hash, small, text, word } from '../fields.ts';
import { defineLayout } from '../structs.ts';
import { createEventCodec, type EventsOf } from './codec.ts';

/** A rule's listing as `register` or `update` left it. */
const listing = defineLayout({
  ruleType: text,
  packageId: address,
  publisher: address,
  kind: word(['auth', 'caveat']),
  manifestUri: text,
  manifestHash: hash,
  version: count,
  timestampMs: count,
});

const layouts = {
  'registry::Registered': listing,
  'registry::Updated': listing,
  'registry::Unlisted': defineLayout(
    { ruleType: text, publisher: address, timestampMs: count },
    { packageId: address, version: count },
  ),
  'registry::Attested': defineLayout(
    { ruleType: text, attester: address, score: small, commentUri: text, timestampMs: count },
    { publisher: address, version: count },
  ),
  'rule::AllowlistCreated': defineLayout({ allowlistId: address, walletId: address }),
  'rule::AllowlistChanged': defineLayout({ allowlistId: address, recipient: address, allowed: flag }),
  'rule::AllowlistRetired': defineLayout({ allowlistId: address, walletId: address }),
};

/** The events of the rule registry and of the recipient allowlist, by `module::Name`. */
export type RulesEvents = EventsOf<typeof layouts>;

export const rulesEvents = createEventCodec(layouts);
