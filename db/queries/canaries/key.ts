export interface EntryKey {
  network: string;
  serviceType: string;
  publisher: string;
}

/** SQL condition: the row is of the entry whose key `toValues` gives as the first parameters. */
export const isEntry = 'network = $1 and service_type = $2 and publisher = $3';
export const toValues = ({ network, serviceType, publisher }: EntryKey) => [network, serviceType, publisher];
