/** A checkpoint of the chain and its time. */
interface Sighting {
  checkpoint: number;
  at: Date;
}

/** Sightings kept: at one each two seconds, an hour of reading behind the tip. */
const kept = 1_800;

/** Remembers when the chain's tip was where, since mere progress of a stream bears no timestamps. */
export class TipHistory {
  readonly #sightings: Sighting[] = [];

  add(sighting: Sighting): void {
    const last = this.#sightings.at(-1);
    if (last && last.checkpoint >= sighting.checkpoint) return;
    this.#sightings.push(sighting);
    if (this.#sightings.length > kept) this.#sightings.shift();
  }

  /** A time that the chain had reached by this checkpoint; undefined when it is older than all that was seen. */
  timeOf(checkpoint: number): Date | undefined {
    return this.#sightings.findLast((sighting) => sighting.checkpoint <= checkpoint)?.at;
  }
}
