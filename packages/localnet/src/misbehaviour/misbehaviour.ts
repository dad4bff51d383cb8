import type { Handler } from '../rpc/server/service.ts';
import { dropStream } from './drop-stream.ts';
import { failCalls } from './fail-calls.ts';
import { goAway } from './go-away.ts';
import type { Answer, Interceptor } from './interceptor.ts';
import { loseAnswers } from './lose-answers.ts';
import { refuseLists } from './refuse-lists.ts';
import type { MisbehaviourPatch, MisbehaviourSettings } from './schema.ts';
import { stallStream } from './stall-stream.ts';

/** What a misbehaviour does beside calls. */
interface MisbehavingNetwork {
  /** Sends GOAWAY on every open connection. */
  goAway(): void;
  prune(below: bigint): void;
  /** Begins another chain in the place of this one. */
  startAnew(): void;
  setClockOffset(offsetMs: number): void;
}

/** What of the network is out of order, and the interceptors that make it so. */
export class Misbehaviour {
  #settings: MisbehaviourSettings = {};
  #interceptors: Interceptor[] = [];
  #network: MisbehavingNetwork | undefined;

  get settings(): Readonly<MisbehaviourSettings> {
    return this.#settings;
  }

  /** Names the network whose clock, history and connections are meant. */
  attach(network: MisbehavingNetwork): void {
    this.#network = network;
  }

  /** Changes what is out of order. With every change the calls are counted again, also those of a seed. */
  set(patch: MisbehaviourPatch): void {
    const { newChain, ...lasting } = patch;
    const given = Object.entries({ ...this.#settings, ...lasting }).filter(([, value]) => value !== null);
    const settings: MisbehaviourSettings = Object.fromEntries(given);
    this.#settings = settings;
    this.#interceptors = interceptorsOf(settings);
    if (patch.goAway?.afterCalls === 0) this.#network?.goAway();
    if (newChain) this.#network?.startAnew();
    if (patch.prune) this.#network?.prune(BigInt(patch.prune.below));
    if (patch.clock !== undefined) this.#network?.setClockOffset(settings.clock?.offsetMs ?? 0);
  }

  /** Puts everything in order; what was pruned stays pruned. */
  reset(): void {
    const names = Object.keys(this.#settings);
    this.set(Object.fromEntries(names.map((name) => [name, null])));
  }

  /** Lets the misbehaviours of the moment stand between calls and their handler. */
  readonly intercept =
    (method: string, handler: Handler): Handler =>
    (request, context) => {
      const serve = this.#interceptors.reduce<() => Answer>(
        (next, interceptor) => () => interceptor({ method, context }, next),
        () => handler(request, context),
      );
      return serve();
    };
}

/** The last one is asked first. */
function interceptorsOf(settings: MisbehaviourSettings): Interceptor[] {
  const interceptors = [
    settings.loseAnswers && loseAnswers(settings.loseAnswers),
    settings.stallStream && stallStream(settings.stallStream),
    settings.dropStream && dropStream(settings.dropStream),
    settings.refuseLists && refuseLists,
    settings.failCalls && failCalls(settings.failCalls),
    settings.goAway && goAway(settings.goAway),
  ];
  return interceptors.filter((interceptor) => interceptor !== undefined);
}
