import { z } from 'zod';

/** A kind of the service's own events: its meaning, and the fields of `data` with an example. */
interface ServiceEventKind {
  /** Meaning of the event, for people. */
  words: string;
  data: z.ZodObject;
  example: Readonly<Record<string, unknown>>;
}

const subject = {
  serviceType: z
    .string()
    .nullable()
    .meta({ description: 'Adaptor that the event is about. Null if it is about all of a publisher.' }),
  publisher: z
    .string()
    .nullable()
    .meta({ description: 'Publisher whose adaptors the event is about. Null if it is about one adaptor.' }),
};
const quarantine = z
  .object({
    ...subject,
    reason: z.string().meta({ description: 'Reason of the operator, in their words.' }),
  })
  .meta({ id: 'QuarantineEventData' });
const exampleSubject = {
  serviceType: `0x${'1'.repeat(64)}::share_vault::ShareVault`,
  publisher: null,
};

const canary = z
  .object({
    serviceType: z.string().meta({ description: 'Adaptor of the listing.' }),
    publisher: z.string().meta({ description: 'Publisher of the listing.' }),
    ops: z
      .array(
        z.object({
          op: z.string().meta({ description: 'Function of the operation, `module::function`.' }),
          state: z.enum(['up', 'degraded', 'down']).meta({ description: 'Its state now.' }),
          failure: z.string().nullable().meta({
            description: 'Name of the last abort, such as `EPaused`. Null if the last call worked.',
          }),
        }),
      )
      .meta({ description: 'The operations whose state has changed.' }),
  })
  .meta({ id: 'CanaryEventData' });

/** The service's own events by name. A further kind is one more entry. */
export const serviceEventKinds = {
  Quarantined: {
    words:
      'An operator of this host put an adaptor, or all of a publisher, in quarantine. Wallets that granted to it keep their grants.',
    data: quarantine,
    example: { ...exampleSubject, reason: 'It takes more than its manifest says' },
  },
  QuarantineLifted: {
    words: 'An operator of this host ended a quarantine.',
    data: quarantine,
    example: { ...exampleSubject, reason: 'The publisher has fixed it' },
  },
  PublisherVerified: {
    words:
      'The publisher of a listing was verified for the first time: it controls the package, and the listing is in the catalog.',
    data: z.object({
      serviceType: z.string().meta({ description: 'Adaptor of the listing.' }),
      publisher: z.string().meta({ description: 'Publisher of the listing.' }),
    }),
    example: { ...exampleSubject, publisher: `0x${'2'.repeat(64)}` },
  },
  SourceVerdictChanged: {
    words:
      'The comparison of the offered source with the code of an adaptor has another result. Verified source is not safe code.',
    data: z.object({
      ...subject,
      packageId: z.string().meta({ description: 'Package of the adaptor, one version of it.' }),
      verdict: z
        .string()
        .meta({ description: 'Best verdict of all source that was offered, such as `exact`.' }),
      before: z.string().nullable().meta({ description: 'The one before. Null if it is the first.' }),
    }),
    example: {
      ...exampleSubject,
      packageId: `0x${'1'.repeat(64)}`,
      verdict: 'exact',
      before: null,
    },
  },
  ClaimsWidened: {
    words:
      'The code of a new version of an adaptor may do more than that of the version before, or checks less. It is not an ' +
      'accusation: read what differs before you use the new version.',
    data: z.object({
      serviceType: z.string().meta({ description: 'Adaptor of the listing.' }),
      publisher: z.string().meta({ description: 'Publisher of the listing.' }),
      version: z.int().meta({ description: 'Version that may do more, as the registry counts.' }),
      formerVersion: z.int().meta({ description: 'Version that it was compared with.' }),
      packageId: z.string().meta({ description: 'Package of the version.' }),
      kinds: z.array(z.string()).meta({
        description: 'Kinds of the claims that are wider, such as `goesTo`. `notRead`: code was not read.',
      }),
    }),
    example: {
      ...exampleSubject,
      publisher: `0x${'2'.repeat(64)}`,
      version: 3,
      formerVersion: 2,
      packageId: `0x${'1'.repeat(64)}`,
      kinds: ['goesTo', 'steers'],
    },
  },
  Degraded: {
    words:
      'Operations of an adaptor that worked fail in simulations: for some amounts, or for all. It may be a pause, a limit or a fault.',
    data: canary,
    example: {
      ...exampleSubject,
      publisher: `0x${'2'.repeat(64)}`,
      ops: [{ op: 'share_vault::deposit', state: 'down', failure: 'EPaused' }],
    },
  },
  Recovered: {
    words: 'Operations of an adaptor that failed in simulations work again. It shows life, not safety.',
    data: canary,
    example: {
      ...exampleSubject,
      publisher: `0x${'2'.repeat(64)}`,
      ops: [{ op: 'share_vault::deposit', state: 'up', failure: null }],
    },
  },
} as const satisfies Readonly<Record<string, ServiceEventKind>>;

export type ServiceEventName = keyof typeof serviceEventKinds;
export const serviceEventNames = Object.keys(serviceEventKinds) as ServiceEventName[];

/** An event to add to the log: its name, its network, and `data`. */
export type NewServiceEvent = {
  [Name in ServiceEventName]: {
    network: string;
    name: Name;
    data: z.infer<(typeof serviceEventKinds)[Name]['data']>;
  };
}[ServiceEventName];
