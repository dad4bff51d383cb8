import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { integer, text } from './encoding.ts';

/** Maximum number of names in memory. Others are looked up. */
const cacheSize = 20_000;

/** Small integers for the names of types, kept in a table of `id` and `name`. */
export class Interner {
  readonly #insert: StatementSync;
  readonly #byName: StatementSync;
  readonly #byId: StatementSync;
  readonly #prefix: StatementSync;
  readonly #ids = new LRUCache<string, number>({ max: cacheSize });
  readonly #names = new LRUCache<number, string>({ max: cacheSize });

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO types (name) VALUES (?) RETURNING id');
    this.#byName = database.prepare('SELECT id FROM types WHERE name = ?');
    this.#byId = database.prepare('SELECT name FROM types WHERE id = ?');
    this.#prefix = database.prepare('SELECT id FROM types WHERE name >= ? AND name < ? ORDER BY id');
  }

  /**
   * The id of `name`, which is added when it is new. The caller's transaction may still roll back: then
   * `forget` must follow.
   */
  intern(name: string): number {
    const known = this.find(name);
    if (known !== undefined) return known;
    const id = integer(this.#insert.get(name) ?? {}, 'id');
    this.#ids.set(name, id);
    this.#names.set(id, name);
    return id;
  }

  find(name: string): number | undefined {
    const cached = this.#ids.get(name);
    if (cached !== undefined) return cached;
    const row = this.#byName.get(name);
    if (row === undefined) return undefined;
    const id = integer(row, 'id');
    this.#ids.set(name, id);
    return id;
  }

  name(id: number): string {
    const cached = this.#names.get(id);
    if (cached !== undefined) return cached;
    const row = this.#byId.get(id);
    if (row === undefined) throw new Error(`the state file lacks name ${id}`);
    const name = text(row, 'name');
    this.#names.set(id, name);
    return name;
  }

  /** Ids of the names that start with `prefix` (which ends in an ASCII character). */
  withPrefix(prefix: string): number[] {
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    return this.#prefix.all(prefix, end).map((row) => integer(row, 'id'));
  }

  /** Drops what is remembered, after a rolled back transaction. */
  forget(): void {
    this.#ids.clear();
    this.#names.clear();
  }
}
