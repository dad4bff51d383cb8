import { ask, callOptions } from '@adaptor-marketplace/adaptor/chain';
import type { Provider, Providers } from '../../../lib/chain/providers/providers.ts';
import { FatalError } from '../../../lib/errors/index.ts';
import { requestDigest } from '../stream/node.ts';

const timeoutMs = 5_000;
/** Age of a tip that is read again before a comparison. */
const tipAgeMsMax = 10_000;

interface CheckpointDigest {
  checkpoint: number;
  digest: string;
}

/** Compares the digests of checkpoints that several providers have, so that no source continues on another fork. */
export class DigestComparison {
  readonly #providers: Providers;
  /** The newest digest that was read from each provider. */
  readonly #known = new Map<Provider, CheckpointDigest>();
  #followed: Provider | undefined;
  #failure: FatalError | undefined;

  constructor(providers: Providers) {
    this.#providers = providers;
  }

  /** The first difference that was found. It stops the sources until the process starts again. */
  get failure(): FatalError | undefined {
    return this.#failure;
  }

  /**
   * Compares the provider in use with each other one, at the newest checkpoint that both have. A provider that does not
   * answer is compared the next time.
   */
  async compareAll(signal: AbortSignal): Promise<void> {
    const inUse = this.#providers.pick();
    for (const other of this.#providers.list) {
      if (other === inUse) continue;
      const tips = await Promise.all([inUse, other].map((provider) => this.#readTip(provider)));
      await this.#compareAt(inUse, other, Math.min(...tips), signal);
    }
  }

  /**
   * Compares a provider, before it is followed, with what the others have shown.
   * @throws FatalError `providers_disagree`
   */
  async requireAgreement(provider: Provider, signal: AbortSignal): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#followed !== provider && this.#providers.list.length > 1) {
      for (const [other, { checkpoint, digest }] of this.#known) {
        if (other === provider) continue;
        const shown = await this.#read(provider, checkpoint, signal);
        if (shown !== undefined)
          this.#compare({ provider, digest: shown }, { provider: other, digest }, checkpoint);
      }
    }
    if (this.#failure) throw this.#failure;
    this.#followed = provider;
  }

  /** Returns the newest known checkpoint, or -1. */
  async #readTip(provider: Provider): Promise<number> {
    const tip = await this.#providers
      .readTip(provider, tipAgeMsMax, 'check')
      .catch(() => provider.health.tip);
    return tip?.checkpoint ?? -1;
  }

  async #compareAt(left: Provider, right: Provider, checkpoint: number, signal: AbortSignal): Promise<void> {
    if (checkpoint < 0) return;
    const [leftDigest, rightDigest] = await Promise.all([
      this.#read(left, checkpoint, signal),
      this.#read(right, checkpoint, signal),
    ]);
    if (leftDigest === undefined || rightDigest === undefined) return;
    const shown = { provider: left, digest: leftDigest };
    this.#compare(shown, { provider: right, digest: rightDigest }, checkpoint);
  }

  /** Records a difference as the failure, unless there is one already. */
  #compare(left: ShownDigest, right: ShownDigest, checkpoint: number): void {
    if (left.digest === right.digest) return;
    const { network } = this.#providers;
    this.#failure ??= new FatalError(
      'providers_disagree',
      `${left.provider.host} and ${right.provider.host} give different digests for checkpoint ${checkpoint} of ` +
        `${network}: ${left.digest} and ${right.digest}. Find out which one follows the chain, and remove the other ` +
        `from SUI_${network.toUpperCase()}_RPC_URLS.`,
    );
  }

  /** Returns undefined if the provider does not have the checkpoint, or does not answer. */
  async #read(provider: Provider, checkpoint: number, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#known.get(provider);
    if (known?.checkpoint === checkpoint) return known.digest;
    const client = this.#providers.openClient(provider, 'check');
    const answer = await ask(requestDigest(client, checkpoint, callOptions(timeoutMs, signal)));
    const digest = answer.status === 'found' ? answer.value.checkpoint?.digest : undefined;
    if (digest === undefined) return undefined;
    this.#known.set(provider, { checkpoint, digest });
    return digest;
  }
}

interface ShownDigest {
  provider: Provider;
  digest: string;
}
