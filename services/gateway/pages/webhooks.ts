import {
  type RegistryEventName,
  type RegistryEvents,
  registryEvents,
  registryEventWords,
} from '../../../lib/chain/events/registry.ts';
import { serviceEventKinds, serviceEventNames } from '../../../lib/webhooks/service-events.ts';
import {
  type EventExample,
  webhookEventsPage,
  webhookPage,
  webhooksPage,
} from '../../../web/pages/webhooks.ts';
import {
  atMs,
  digest,
  id,
  manifestHash,
  manifestUri,
  packageId,
  publisher,
  serviceType,
} from '../openapi/parts.ts';
import { createSessionRoute, createSiteRoute } from './site.ts';

const listing = { serviceType, packageId, publisher, manifestUri, manifestHash };
/** Data of an example of each event. Its type is that of the decoded event. */
const exampleData: { [Name in RegistryEventName]: RegistryEvents[Name] } = {
  Registered: { ...listing, version: 1, timestampMs: atMs },
  Updated: { ...listing, version: 2, timestampMs: atMs },
  Unlisted: { serviceType, publisher, packageId, version: 2, timestampMs: atMs },
  Attested: {
    serviceType,
    attester: id('a'),
    score: 5,
    commentUri: 'https://example.com/review',
    publisher,
    version: 2,
    timestampMs: atMs,
  },
};

type Field = { [Name in RegistryEventName]: keyof RegistryEvents[Name] }[RegistryEventName];
const fieldWords: Record<Field, string> = {
  serviceType: 'Type of the witness, under which wallets grant to the adaptor.',
  packageId: 'Package with the code of the adaptor.',
  publisher: 'Address that signed the listing. Of a rating: the publisher of the oldest listing then.',
  manifestUri: 'Where the manifest is.',
  manifestHash: 'SHA-256 of the manifest in canonical JSON, in hex.',
  version: 'Version of the listing: 1 when it is first registered, one more with each change.',
  timestampMs: 'Time of the chain, in milliseconds since the epoch.',
  attester: 'Address that rated.',
  score: 'From 1, the worst, to 5.',
  commentUri: 'Where the attester says more, or empty. A stranger wrote it.',
};

function buildEventExamples(network: string): EventExample[] {
  const test: EventExample = {
    name: 'Test',
    chosen: false,
    words: 'You ask for it, to try your receiver. It goes to every webhook, and is signed like the others.',
    fields: [{ name: 'webhook', words: 'Id of the webhook that is tried.' }],
    body: { network, event: 'Test', data: { webhook: 'wh_8sQm2Kd1' }, timestampMs: atMs, id: 'test:119' },
  };
  const events = registryEvents.names.map((name): EventExample => {
    const [words, data] = [registryEventWords[name], exampleData[name]];
    const fields = Object.keys(data).map((field) => ({ name: field, words: fieldWords[field as Field] }));
    const body = { network, event: name, data, timestampMs: atMs, id: `${digest}:0` };
    return { name, words, chosen: true, fields, body };
  });
  const ofService = serviceEventNames.map((name): EventExample => {
    const { words, data, example } = serviceEventKinds[name];
    const fields = Object.entries(data.shape).map(([field, { description = '' }]) => ({
      name: field,
      words: description,
    }));
    const body = { network, event: name, data: example, timestampMs: atMs, id: 'svc_7' };
    return { name, words, chosen: true, fields, body };
  });
  return [...events, ...ofService, test];
}

interface WebhookPageDependencies {
  /** Absent without a key-value store. Without `secrets`, deliveries are not signed. */
  webhooks: { secrets: unknown } | undefined;
}

const buildHost = ({ webhooks }: WebhookPageDependencies, network: string) => ({
  events: buildEventExamples(network),
  isOn: webhooks !== undefined,
  signs: webhooks?.secrets !== undefined,
});

/** The portal for the holder of an API key. It reads its data from the API with the session of the page. */
export const webhookPageRoutes = [
  createSessionRoute<WebhookPageDependencies>('/webhooks', (request, host) =>
    webhooksPage(buildHost(host, request.network), request),
  ),
  createSiteRoute<WebhookPageDependencies>('/webhooks/events', ({ network }, host) =>
    webhookEventsPage(buildHost(host, network)),
  ),
  createSessionRoute<WebhookPageDependencies>('/webhooks/:webhookId', (request, host) =>
    webhookPage(buildHost(host, request.network), request),
  ),
];
