import { formatCoinSymbol, isSui } from '@adaptor-marketplace/adaptor/names';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { plain } from './plain.ts';
import { type NamedType, nameSystemPackage, type PackageNames, splitTypes } from './type-names.ts';

const wholeNumber = new Intl.NumberFormat('en-US');
/** Format of a percentage. Two decimals show every basis point. */
const hundredths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

export const count = (value: number): string => wholeNumber.format(value);

/** Formats a count with its noun: `1 use`, `39 uses`. */
export const counted = (value: number, one: string, several = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : several}`;

/** Shortens an id of more than 14 characters to its first six and last four. */
export const shortened = (id: string): string => (id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id);

/** An id that a text shows shortened: it has more than 12 hex digits. */
const longId = /(0x[0-9a-fA-F]{13,})/;

const shortenIds = (text: string): Html =>
  text
    .split(longId)
    .map((part, at) => (at % 2 === 0 ? plain(part) : html`<code title=${part}>${shortened(part)}</code>`));

const noNames: PackageNames = new Map();

function namedType({ type, packageId, name }: NamedType, names: PackageNames): Html {
  const listing = names.get(packageId);
  const owner =
    nameSystemPackage(packageId) ?? (listing === undefined ? undefined : html`“${plain(listing)}”`);
  return html`<code title=${type}>${name}</code> of ${owner ?? `package ${shortened(packageId)}`}`;
}

/**
 * Renders a text with its ids shortened and its types named by module, name and package, each in full on hover. A stranger may
 * have written it.
 */
export const withShortIds = (text: string, names: PackageNames = noNames): Html =>
  splitTypes(text).map((piece) => (typeof piece === 'string' ? shortenIds(piece) : namedType(piece, names)));

/** Renders a type by module, name and package, in full on hover, with a button that copies it. */
export const typeName = (type: string, names: PackageNames = noNames): Html =>
  html`<span>${withShortIds(type, names)}${copyButton('', 'Copy the type')}</span>`;

/** Renders a shortened id, in full on hover, with a button that copies it. */
export function address(id: string, link?: string): Html {
  const short = html`<code title=${id}>${shortened(id)}</code>`;
  return html`<span class="id">${link === undefined ? short : html`<a href=${link}>${short}</a>`}${copyButton('', `Copy ${shortened(id)}`)}</span>`;
}

/**
 * Renders an id in full, in groups of four digits. Attackers can generate ids with the same first and last digits, so
 * a signer must be able to compare all of them.
 */
export function wholeId(id: string): Html {
  const groups = id.replace(/^0x/, '').match(/.{1,4}/g) ?? [];
  return html`<code class="whole">0x${groups.map((group) => html`<span>${group}</span>`)}</code>`;
}

/** Renders a type in full, with the ids of its packages in groups of four digits. */
export const wholeType = (type: string): Html =>
  html`<span class="whole">${type.split(/(0x[0-9a-fA-F]+)/).map((part) => (part.startsWith('0x') ? wholeId(part) : html`<code>${part}</code>`))}</span>`;

/**
 * Renders a button that copies a text. It needs script, and is hidden without it.
 * @param text if empty, the title or the text of the `code` beside the button
 */
export function copyButton(text: string, label: string): Html {
  return html`<button type="button" class="copy" data-copy=${text} title=${label}>${icon('copy')}</button>`;
}

/** Converts base units to a decimal number, without rounding. */
export function decimal(base: string, decimals: number): string {
  if (!/^\d+$/.test(base)) return base;
  const digits = base.padStart(decimals + 1, '0');
  const integer = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? integer : `${integer}.${fraction}`;
}

/** The Move type of SUI, as the chain writes it. */
export const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;

export interface CoinInfo {
  symbol: string;
  decimals: number;
  /** Path of the logo, if the page asked for it and the coin has one. */
  logo?: string | null;
}

/** A coin that a manifest names. */
export interface SupportedCoin {
  coinType: string;
  coinInfo: CoinInfo | null;
}

/** Renders the logo of a coin. It says nothing that the symbol does not: strangers choose both. */
export const coinLogo = (info: CoinInfo | null): Html =>
  info?.logo ? html`<img class="coin" src=${info.logo} alt="" width="16" height="16" loading="lazy" /> ` : '';

/** Writes a number of base units, such as `1,490,310 base units`. */
export const baseUnits = (base: string): string => `${decimal(base, 0)} base unit${base === '1' ? '' : 's'}`;

/** Renders an amount in its coin, with the base units on hover. */
export function amount(base: string, coinType: string, info: CoinInfo | null): Html {
  const inUnits = `${base} base units of ${coinType}`;
  if (info === null) return html`<span class="amount" title=${inUnits}>${baseUnits(base)}</span>`;
  return html`<span class="amount" title=${inUnits}>${decimal(base, info.decimals)} ${formatCoinSymbol(coinType, info)}</span>`;
}

/**
 * Renders an amount for a signer. Strangers choose symbols and decimals, so coins other than SUI also show the base
 * units and the type.
 */
export function amountInFull(base: string, coinType: string, info: CoinInfo | null): Html {
  const short = amount(base, coinType, info);
  if (isSui(coinType)) return short;
  return html`${short} (${info === null ? '' : `${baseUnits(base)} `}of the coin ${wholeType(coinType)})`;
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** Formats a time as a distance from now: `3 hours ago`. */
export function distance(ms: number, nowMs: number): string {
  const seconds = (ms - nowMs) / 1_000;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  if (unit === undefined || size === undefined) return seconds > 30 ? 'in a minute' : 'just now';
  return relative.format(Math.trunc(seconds / size), unit);
}

/** Formats a time exactly: `2026-03-14 09:26:53 UTC`. */
const formatExactly = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');

/** Renders a relative time, with the exact one on hover and in `datetime`. */
export function time(ms: number, nowMs: number): Html {
  return html`<time datetime=${new Date(ms).toISOString()} title=${formatExactly(ms)}>${distance(ms, nowMs)}</time>`;
}

/** Renders the time at which something ends: relative and exact, for devices without hover. */
export const endTime = (ms: number, nowMs: number): Html =>
  html`${time(ms, nowMs)} <span class="muted">${formatExactly(ms).replace(/:\d\d UTC$/, ' UTC')}</span>`;

export const percent = (bps: number): string => `${hundredths.format(bps / 100)} %`;
