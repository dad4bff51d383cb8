import type { Network } from '@adaptor-marketplace/adaptor';
import { callOptions } from '@adaptor-marketplace/adaptor/chain';
import { type ChainClient, createClientOver, openChannel } from '@adaptor-marketplace/adaptor/chain/client';
import type { Registry } from '@prometheus-io/client';
import type { NetworkSettings } from '../../config/networks.ts';
import type { Kv } from '../../kv/kv.ts';
import type { Logger } from '../../log/index.ts';
import { type Priority, RequestBudget, sizeBucket } from './budget.ts';
import type { Condition, ProviderState, Tip } from './health.ts';
import { createRequestMetrics, type RequestMetrics } from './metrics.ts';
import { Provider } from './provider.ts';
import { createMemoryBucket, createSharedBucket } from './token-bucket.ts';
import { createProviderTransport, WriteFloor } from './transport.ts';

export type { Priority } from './budget.ts';
export type { Provider } from './provider.ts';

type ProviderSettings = Pick<
  NetworkSettings,
  'network' | 'rpcUrl' | 'rpcToken' | 'otherProviders' | 'rpcBudget'
>;

interface ProvidersOptions {
  /** Counts requests over all processes. Absent: each process counts its own. */
  kv?: Kv | undefined;
  metrics?: Registry | undefined;
  log: Logger;
}

/** The providers of all networks of this process, so that its roles share what they know of them. */
export type NetworkProviders = ReadonlyMap<Network, Providers>;

/** Opens the providers of each network; `closing` closes them. Call it at most once for each metrics registry. */
export function openProviders(
  networks: readonly ProviderSettings[],
  closing: AsyncDisposableStack,
  { kv, metrics, log }: ProvidersOptions,
): NetworkProviders {
  const shown = createRequestMetrics(metrics);
  return new Map(
    networks.map((settings) => {
      const providers = new Providers(settings, { kv, metrics: shown, log });
      closing.defer(() => providers.close());
      return [settings.network, providers];
    }),
  );
}

/** Order in which providers are chosen if none is healthy. */
const ranks: Readonly<Record<ProviderState, number>> = { healthy: 0, lagging: 1, limited: 2, failing: 3 };

const probeEveryMs = 10_000;
const probeTimeoutMs = 5_000;

/**
 * The providers of one network. One of them is in use; it stays in use while it is healthy, so that two equal providers
 * do not alternate.
 */
export class Providers {
  readonly network: Network;
  readonly list: readonly [Provider, ...Provider[]];
  readonly #log: Logger;
  readonly #floor = new WriteFloor();
  readonly #probing: NodeJS.Timeout | undefined;
  #inUse: Provider;

  constructor(
    { network, rpcUrl, rpcToken, otherProviders = [], rpcBudget }: ProviderSettings,
    { kv, metrics, log }: { kv: Kv | undefined; metrics: RequestMetrics; log: Logger },
  ) {
    const open = ({ url, token }: { url: string; token?: string | undefined }) => {
      const { host } = new URL(url);
      const budget =
        rpcBudget === undefined ? undefined : openBudget({ network, host, requests: rpcBudget, kv, log });
      return new Provider({ network, url, channel: openChannel({ url, token }), budget, metrics });
    };
    this.network = network;
    this.list = [open({ url: rpcUrl, token: rpcToken }), ...otherProviders.map(open)];
    this.#inUse = this.list[0];
    this.#log = log;
    if (this.list.length > 1) this.#probing = setInterval(() => void this.#probe(), probeEveryMs).unref();
  }

  /** Timestamp of the newest tip of all providers. */
  get #bestMs(): number {
    return Math.max(0, ...this.list.map(({ health }) => health.tip?.atMs ?? 0));
  }

  assess(provider: Provider): Condition & { lagMs: number | undefined } {
    const bestMs = this.#bestMs;
    return { ...provider.health.assess(bestMs), lagMs: provider.health.measureLagMs(bestMs) };
  }

  /** Returns the provider in use. If it is not healthy, chooses the healthiest first. */
  pick(): Provider {
    const { state, reason } = this.assess(this.#inUse);
    if (state === 'healthy' || this.list.length === 1) return this.#inUse;
    const best = this.#sort(this.list)[0] ?? this.#inUse;
    if (best === this.#inUse || ranks[this.assess(best).state] >= ranks[state]) return this.#inUse;
    const { network } = this;
    this.#log.warn({ network, from: this.#inUse.host, to: best.host, reason }, 'moves to another provider');
    this.#inUse = best;
    return best;
  }

  /** A client whose reads go to the provider in use, and are repeated on the others if it fails. */
  client(priority: Priority): ChainClient {
    const choice = {
      next: (tried: ReadonlySet<Provider>) => {
        const first = this.pick();
        return tried.has(first) ? this.#sort(this.list.filter((provider) => !tried.has(provider)))[0] : first;
      },
      floor: priority === 'run' ? this.#floor : undefined,
    };
    return createClientOver(createProviderTransport(choice, priority));
  }

  /** A client of one provider alone. */
  openClient(provider: Provider, priority: Priority): ChainClient {
    const next = (tried: ReadonlySet<Provider>) => (tried.has(provider) ? undefined : provider);
    return createClientOver(createProviderTransport({ next, floor: undefined }, priority));
  }

  /** Returns a tip that is at most `ageMsMax` old. Any response may have brought it. */
  async readTip(provider: Provider, ageMsMax: number, priority: Priority): Promise<Tip | undefined> {
    if (provider.health.tipAgeMs > ageMsMax) await this.#readInfo(provider, priority);
    return provider.health.tip;
  }

  close(): void {
    clearInterval(this.#probing);
    for (const { channel } of this.list) channel.close();
  }

  #sort(providers: readonly Provider[]): Provider[] {
    const latency = ({ health }: Provider) => health.latencyMs ?? Number.POSITIVE_INFINITY;
    const rank = (provider: Provider) => ranks[this.assess(provider).state];
    return providers.toSorted(
      (left, right) => rank(left) - rank(right) || (latency(left) < latency(right) ? -1 : 1),
    );
  }

  /** Reads the tips of the providers that are not called otherwise, so that lag shows. */
  async #probe(): Promise<void> {
    const silent = this.list.filter(
      ({ health }) => health.tipAgeMs >= probeEveryMs && health.limitedMs === 0,
    );
    await Promise.all(silent.map((provider) => this.#readInfo(provider, 'check').catch(() => undefined)));
  }

  /** Reads in progress. A caller does not share one of another priority, which may wait longer, or not be sent. */
  readonly #reading = new Map<string, Promise<void>>();

  async #readInfo(provider: Provider, priority: Priority): Promise<void> {
    const key = `${provider.url} ${priority}`;
    const reading =
      this.#reading.get(key) ??
      this.#callInfo(provider, priority).finally(() => {
        this.#reading.delete(key);
      });
    this.#reading.set(key, reading);
    await reading;
  }

  async #callInfo(provider: Provider, priority: Priority): Promise<void> {
    const { ledgerService } = this.openClient(provider, priority);
    const { response } = await ledgerService.getServiceInfo({}, callOptions(probeTimeoutMs));
    const { checkpointHeight, timestamp } = response;
    if (checkpointHeight === undefined || timestamp === undefined) return;
    const atMs = Number(timestamp.seconds) * 1_000 + timestamp.nanos / 1e6;
    provider.health.recordTip({ checkpoint: Number(checkpointHeight), atMs });
  }
}

interface BudgetOptions {
  network: Network;
  host: string;
  requests: number;
  kv: Kv | undefined;
  log: Logger;
}

function openBudget({ network, host, requests, kv, log }: BudgetOptions): RequestBudget {
  const bucket = sizeBucket(requests);
  const tokens = kv
    ? createSharedBucket(kv, `rpc:${network}:${host}`, bucket, log)
    : createMemoryBucket(bucket);
  return new RequestBudget(host, requests, tokens);
}
