/** An event of the registry or of the service, as an entry of a feed. */
export interface FeedEvent {
  /** `<transaction digest>:<event index>`, or `svc_<number>`. */
  id: string;
  name: string;
  timestamp: Date;
  /** The service; null if the event is about all listings of a publisher. */
  serviceType: string | null;
  publisher: string | null;
  data: Record<string, unknown> | null;
}
