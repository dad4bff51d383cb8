/** Storage of one export at a time. A reader never sees a part of a file. */
export interface ExportStorage extends AsyncDisposable {
  /** Address, for people. */
  readonly address: string;
  /** Returns the record of what the storage has; undefined before the first export. */
  readRecord(): Promise<string | undefined>;
  /** @throws FatalError `export_running` if another export has written the record since */
  writeRecord(text: string): Promise<void>;
  /** Returns the path of a local file, in a folder that exists, that `store` takes. */
  stage(name: string): string;
  /**
   * Gives a staged file its name, and makes it durable. It replaces a file of that name.
   * @throws FatalError `export_running` if another export has taken the storage over
   */
  store(name: string): Promise<void>;
}

/** Name of the record. It is written after the files that it names. */
export const recordName = 'export.json';
