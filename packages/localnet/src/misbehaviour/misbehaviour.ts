import type { CallContext, Handler } from '../rpc/server/service.ts';
import { cutStreams } from './cut-streams.ts';
import { dropStream } from './drop-stream.ts';
import { failCalls } from './fail-calls.ts';
import { fork } from './fork.ts';
import { goAway } from './go-away.ts';
import { type Answer, type Interceptor, isStream } from './interceptor.ts';
import { limitCalls } from './limit-calls.ts';
import { loseAnswers } from './lose-answers.ts';
import { refuseLists } from './refuse-lists.ts';
import { restart } from './restart.ts';
import type { MisbehaviourPatch, MisbehaviourSettings } from './schema.ts';
import { shareOfCalls } from './share.ts';
import { stallStream } from './stall-stream.ts';

/** The chain whose history and clock a misbehaviour changes, for all of its nodes. */
interface MisbehavingChain {
  prune(below: bigint): void;
  /** Begins another chain in the place of this one. */
  startAnew(): void;
  setClockOffset(offsetMs: number): void;
}

/** Parts of a node that misbehave beside calls. */
interface MisbehavingNode {
  /** Sends GOAWAY on every open connection. */
  goAway(): void;
  /** Absent: a further node of a network, on which changes of the chain are refused. */
  chain?: MisbehavingChain;
}

const chainChanges = ['newChain', 'prune', 'clock'] as const;

/** What of the network is out of order, and the interceptors that make it so. */
export class Misbehaviour {
  #settings: MisbehaviourSettings = {};
  #interceptors: Interceptor[] = [];
  #node: MisbehavingNode | undefined;
  #isLate: () => boolean = () => false;
  /** Checkpoints by which the node that answers a call is late. */
  #lags = new WeakMap<CallContext, number>();
  /** Streams that have not ended. */
  readonly #open = new Set<CallContext>();

  get settings(): Readonly<MisbehaviourSettings> {
    return this.#settings;
  }

  attach(node: MisbehavingNode): void {
    this.#node = node;
  }

  /**
   * Changes what is out of order. With every change the calls are counted again, also those of a seed.
   * @throws Error for a change of the chain on a node that has no chain of its own
   */
  set(patch: MisbehaviourPatch): void {
    const chain = this.#node?.chain;
    const refused = chain ? undefined : chainChanges.find((name) => patch[name]);
    if (refused) {
      throw new Error(
        `${refused} changes the chain for all nodes: set it on the misbehaviour of the network`,
      );
    }
    const { newChain, restart: restarting, ...lasting } = patch;
    const given = Object.entries({ ...this.#settings, ...lasting }).filter(([, value]) => value !== null);
    const settings: MisbehaviourSettings = Object.fromEntries(given);
    this.#settings = settings;
    this.#interceptors = interceptorsOf(settings);
    // It passes by itself, so it is not shown as lasting.
    if (restarting) this.#interceptors.push(restart(restarting, this.#open));
    this.#isLate = settings.late ? shareOfCalls(settings.late.share, settings.late.seed) : () => false;
    this.#lags = new WeakMap();
    if (patch.goAway?.afterCalls === 0) this.#node?.goAway();
    if (newChain) chain?.startAnew();
    if (patch.prune) chain?.prune(BigInt(patch.prune.below));
    if (patch.clock !== undefined) chain?.setClockOffset(settings.clock?.offsetMs ?? 0);
  }

  /** Puts everything in order; what was pruned stays pruned. */
  reset(): void {
    const names = Object.keys(this.#settings);
    this.set(Object.fromEntries(names.map((name) => [name, null])));
  }

  /** Checkpoints by which the node that answers a call is late: the same during the call. */
  lag(call: CallContext): number {
    const { late } = this.#settings;
    if (!late) return 0;
    const known = this.#lags.get(call);
    if (known !== undefined) return known;
    const lag = this.#isLate() ? late.checkpoints : 0;
    this.#lags.set(call, lag);
    return lag;
  }

  /** Lets the misbehaviours of the moment stand between calls and their handler. */
  readonly intercept =
    (method: string, handler: Handler): Handler =>
    (request, context) => {
      const serve = this.#interceptors.reduce<() => Answer>(
        (next, interceptor) => () => interceptor({ method, request, context }, next),
        () => handler(request, context),
      );
      const answer = serve();
      if (!isStream(answer)) return answer;
      this.#open.add(context);
      context.signal.addEventListener('abort', () => this.#open.delete(context), { once: true });
      return answer;
    };
}

/** The last one is asked first. */
function interceptorsOf(settings: MisbehaviourSettings): Interceptor[] {
  const interceptors = [
    settings.loseAnswers && loseAnswers(settings.loseAnswers),
    settings.stallStream && stallStream(settings.stallStream),
    settings.dropStream && dropStream(settings.dropStream),
    settings.cutStreams && cutStreams(settings.cutStreams),
    settings.fork && fork(settings.fork),
    settings.refuseLists && refuseLists,
    settings.failCalls && failCalls(settings.failCalls),
    settings.limitCalls && limitCalls(settings.limitCalls),
    settings.goAway && goAway(settings.goAway),
  ];
  return interceptors.filter((interceptor) => interceptor !== undefined);
}
