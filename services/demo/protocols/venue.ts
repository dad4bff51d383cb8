/** A package, the shared object that an adaptor works on, and the types of its coins by what they are there. */
export interface Venue<Role extends string> {
  packageId: string;
  objectId: string;
  coins: Record<Role, string>;
}

/** What `openVenues` needs to make a venue of what a transaction created. */
export interface Opened<Role extends string> extends Pick<Venue<Role>, 'packageId' | 'coins'> {
  /** Of the shared object. */
  objectType: string;
}
