import { open, rename } from 'node:fs/promises';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { Column } from './columns.ts';

/** A row group is written when its values have this size in characters, or this number of rows: it is in memory. */
const groupSize = 32 * 1024 * 1024;
const groupRows = 50_000;

/** Writes a Parquet file. It has its name when it is complete: a reader never sees a part of it. */
export class ParquetFile {
  rowCount = 0;
  readonly #path: string;
  readonly #columns: readonly Column[];
  readonly #writer: ParquetWriter;
  #values: unknown[][];
  #size = 0;

  /** @param path in a folder that exists */
  constructor(path: string, columns: readonly Column[]) {
    this.#path = path;
    this.#columns = columns;
    const root = { name: 'root', num_children: columns.length };
    this.#writer = new ParquetWriter({
      writer: fileWriter(this.#partial),
      schema: [root, ...columns.flatMap(({ schema }) => schema)],
      createdBy: 'adaptor-marketplace',
    });
    this.#values = columns.map(() => []);
  }

  get #partial(): string {
    return `${this.#path}.partial`;
  }

  /** @param row a value for each column, as PostgreSQL writes it */
  add(row: readonly (string | null)[]): void {
    this.#columns.forEach(({ parse }, at) => {
      const text = row[at]!;
      this.#values[at]!.push(text === null ? null : parse(text));
      this.#size += text?.length ?? 0;
    });
    this.rowCount += 1;
    if (this.#size >= groupSize || this.#values[0]!.length >= groupRows) this.#writeGroup();
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(({ name }, at) => ({ name, data: this.#values[at]! }));
    this.#writer.write({ columnData, rowGroupSize: groupRows });
    this.#values = this.#columns.map(() => []);
    this.#size = 0;
  }

  /** Makes the file durable, and gives it its name. */
  async close(): Promise<void> {
    if (this.#values[0]!.length > 0) this.#writeGroup();
    this.#writer.finish();
    const file = await open(this.#partial, 'r+');
    await file.sync();
    await file.close();
    await rename(this.#partial, this.#path);
  }
}
