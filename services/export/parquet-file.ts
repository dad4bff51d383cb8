import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { Column } from './columns.ts';

/** Bounds on a row group, which is in memory until it is written: characters of its values, and rows. */
const groupCharacters = 32 * 1024 * 1024;
const groupRows = 50_000;

/** Writes a Parquet file. */
export class ParquetFile {
  rowCount = 0;
  readonly #columns: readonly Column[];
  readonly #writer: ParquetWriter;
  #values: unknown[][];
  #characters = 0;

  /** @param path in a folder that exists */
  constructor(path: string, columns: readonly Column[]) {
    this.#columns = columns;
    const root = { name: 'root', num_children: columns.length };
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: [root, ...columns.flatMap(({ schema }) => schema)],
      createdBy: 'adaptor-marketplace',
    });
    this.#values = columns.map(() => []);
  }

  /** @param row a value for each column, as PostgreSQL writes it */
  add(row: readonly (string | null)[]): void {
    this.#columns.forEach(({ parse }, at) => {
      const text = row[at]!;
      this.#values[at]!.push(text === null ? null : parse(text));
      this.#characters += text?.length ?? 0;
    });
    this.rowCount += 1;
    if (this.#characters >= groupCharacters || this.#values[0]!.length >= groupRows) this.#writeGroup();
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(({ name }, at) => ({ name, data: this.#values[at]! }));
    this.#writer.write({ columnData, rowGroupSize: groupRows });
    this.#values = this.#columns.map(() => []);
    this.#characters = 0;
  }

  finish(): void {
    if (this.#values[0]!.length > 0) this.#writeGroup();
    this.#writer.finish();
  }
}
