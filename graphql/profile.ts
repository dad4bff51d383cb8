import type { PublisherLink, PublisherProfile } from '@adaptor-marketplace/adaptor/manifest';
import { publisherDomain } from '../db/queries/catalog/entry-schema.ts';
import { builder, nullable } from './builder.ts';
import { defineSchemaType } from './schema-fields.ts';

const linkType = builder.objectRef<PublisherLink>('PublisherLink').implement({
  description: 'A link in the profile of a publisher.',
  fields: (t) => ({
    label: t.exposeString('label', { description: 'Its words, at most 32 characters.' }),
    url: t.exposeString('url', { description: 'An https url.' }),
  }),
});

export const publisherProfileType = builder.objectRef<PublisherProfile>('PublisherProfile').implement({
  description: 'What a publisher says about itself in a manifest. Nothing of it is proven.',
  fields: (t) => ({
    name: t.exposeString('name', nullable('Name that the publisher gives itself.')),
    domain: t.exposeString(
      'domain',
      nullable(
        'Domain that the publisher claims. `publisherDomain` and `Publisher.domain` have a proven one.',
      ),
    ),
    icon: t.exposeString('icon', nullable('Url of a picture.')),
    links: t.field({
      type: [linkType],
      description: 'Links of the publisher, at most 8.',
      resolve: ({ links }) => links ?? [],
    }),
  }),
});

export const publisherDomainType = defineSchemaType('PublisherDomain', publisherDomain);
