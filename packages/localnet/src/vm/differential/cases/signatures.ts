import type { Suite } from '../suite.ts';

/** A call whose answer others have published, or that follows from a published one. */
interface KnownAnswer {
  body: string;
  /** True or false, hex of bytes, or the code of an abort. */
  answer: boolean | string | number;
  /**
   * The chain's answer, by the source of the libraries that its natives call (fastcrypto over libsecp256k1,
   * p256 and blst). The Move VM that we compare with is built without the libraries in C and answers otherwise:
   * it knows no invalid BLS signature.
   */
  chainOnly: boolean;
}

const x = (hex: string) => `&x"${hex}"`;
const known: KnownAnswer[] = [];

function add(answer: KnownAnswer['answer'], name: string, ...args: (string | number)[]): void {
  known.push({ body: `${name}(${args.join(', ')})`, answer, chainOnly: false });
}

function addChainOnly(...call: Parameters<typeof add>): void {
  add(...call);
  known.at(-1)!.chainOnly = true;
}

/** Flips one bit of a byte of hex. */
function spoil(hex: string, at: number): string {
  const bytes = Buffer.from(hex, 'hex');
  bytes[at]! ^= 1;
  return bytes.toString('hex');
}

// RFC 8032, 7.1: tests 1 to 3.
const RFC8032 = [
  {
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
];
const ED = 'sui::ed25519::ed25519_verify';
for (const { key, message, signature } of RFC8032) {
  add(true, ED, x(signature), x(key), x(message));
  add(false, ED, x(signature), x(key), x(`${message}00`));
  add(false, ED, x(spoil(signature, 5)), x(key), x(message));
  add(false, ED, x(spoil(signature, 40)), x(key), x(message));
  add(false, ED, x(signature), x(spoil(key, 3)), x(message));
  add(false, ED, x(signature.slice(2)), x(key), x(message));
  add(false, ED, x(`${signature}00`), x(key), x(message));
  add(false, ED, x(signature), x(key.slice(2)), x(message));
}
// Project Wycheproof, ed25519_test.json: special values of r and s under an ordinary key (10 to 29).
const WYCHEPROOF_ED_KEY = '7d4d0e7f6153a69b6242b522abbee685fda4420f8834b108c3bdae369ef549fa';
const ED_ZERO = '00'.repeat(32);
const ED_ONE = `01${'00'.repeat(31)}`;
const ED_ORDER = 'edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010';
const ED_FIELD = `ed${'ff'.repeat(30)}7f`;
for (const r of [ED_ZERO, ED_ONE, ED_ORDER, ED_FIELD]) {
  for (const s of [ED_ZERO, ED_ONE, ED_ORDER, ED_FIELD])
    add(false, ED, x(r + s), x(WYCHEPROOF_ED_KEY), x('3f'));
}
// ZIP-215: a key of small order signs everything, and a point may be written in more than one way.
add(true, ED, x(ED_ONE + ED_ZERO), x(ED_ONE), x('3f'));
add(true, ED, x(`ee${'ff'.repeat(30)}7f${ED_ZERO}`), x(ED_ONE), x('3f'));
add(true, ED, x(ED_ZERO + ED_ZERO), x(ED_ZERO), x('3f'));
// RFC 8032, 5.1.7: the same signature with s + L is none.
add(false, ED, x(ED_ONE + ED_ORDER), x(ED_ONE), x('3f'));

// The vectors of sui::ecdsa_k1's own tests: Keccak-256 (0) and SHA-256 (1).
const K1 = 'sui::ecdsa_k1::secp256k1_verify';
const K1_RECOVER = 'sui::ecdsa_k1::secp256k1_ecrecover';
const K1_KEY = '02337cca2171fdbfcfd657fa59881f46269f1e590b5ffab6023686c7ad2ecc2c1c';
const K1_FULL =
  '337cca2171fdbfcfd657fa59881f46269f1e590b5ffab6023686c7ad2ecc2c1c0cbd6ade504a9372eb95bcfcb04c1a602f2b7b6fb5c08decc07c38ef495d6316';
const HELLO = '&b"Hello, world!"';
const K1_ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const K1_SIGNED = [
  {
    hash: 0,
    recovery: '00',
    signature:
      '7e4237ebfbc36613e166bfc5f6229360a9c1949242da97ca04867e4de57b2df30c8340bcb320328cf46d71bda51fcb519e3ce53b348eec62de852e350edbd886',
  },
  {
    hash: 1,
    recovery: '01',
    signature:
      'e5847245b38548547f613aaea3421ad47f5b95a222366fb9f9b8c57568feb19c7077fc31e7d83e00acc1347d08c3e1ad50a4eeb6ab044f25c861ddc7be5b8f9f',
  },
];

/** r and n - s, which verifies as well where a high s is allowed. */
function mirrored(signature: string, order: string): string {
  const s = BigInt(`0x${order}`) - BigInt(`0x${signature.slice(64)}`);
  return signature.slice(0, 64) + s.toString(16).padStart(64, '0');
}

for (const { hash, recovery, signature } of K1_SIGNED) {
  add(true, K1, x(signature), x(K1_KEY), HELLO, hash);
  add(true, K1, x(signature), x(`04${K1_FULL}`), HELLO, hash);
  addChainOnly(true, K1, x(signature), x(`06${K1_FULL}`), HELLO, hash);
  add(false, K1, x(signature), x(`07${K1_FULL}`), HELLO, hash);
  add(false, K1, x(signature), x(K1_KEY), HELLO, 1 - hash);
  add(false, K1, x(signature), x(K1_KEY), HELLO, 2);
  add(false, K1, x(signature), x(K1_KEY), '&b"Hello, world?"', hash);
  add(false, K1, x(signature + recovery), x(K1_KEY), HELLO, hash);
  add(false, K1, x(signature.slice(2)), x(K1_KEY), HELLO, hash);
  add(false, K1, x(signature), x(K1_KEY.slice(2)), HELLO, hash);
  add(false, K1, x(signature), x(`03${K1_KEY.slice(2)}`), HELLO, hash);
  add(false, K1, x(signature), x(''), HELLO, hash);
  add(false, K1, x(mirrored(signature, K1_ORDER)), x(K1_KEY), HELLO, hash);
  add(K1_KEY, K1_RECOVER, x(signature + recovery), HELLO, hash);
  addChainOnly(K1_KEY, K1_RECOVER, x(mirrored(signature, K1_ORDER) + spoil(recovery, 0)), HELLO, hash);
  add(0, K1_RECOVER, x(signature + recovery), HELLO, 2);
  add(0, K1_RECOVER, x(`${signature}02`), HELLO, hash);
  add(0, K1_RECOVER, x(`${signature}03`), HELLO, hash);
  add(1, K1_RECOVER, x(`${signature}04`), HELLO, hash);
  add(1, K1_RECOVER, x(`${signature}1b`), HELLO, hash);
  add(1, K1_RECOVER, x(signature), HELLO, hash);
  add(1, K1_RECOVER, x(''), HELLO, hash);
}
const ZERO = '00'.repeat(32);
const ONE = `${'00'.repeat(31)}01`;
addChainOnly(0, K1_RECOVER, x(`${ZERO + ZERO}00`), x('00'), 1);
addChainOnly(0, K1_RECOVER, x(`${ONE + ZERO}00`), x('00'), 1);
addChainOnly(0, K1_RECOVER, x(`${ZERO + ONE}00`), x('00'), 1);
add(1, K1_RECOVER, x(`${K1_ORDER + ONE}00`), x('00'), 1);
add(1, K1_RECOVER, x(`${ONE + K1_ORDER}00`), x('00'), 1);
const DECOMPRESS = 'sui::ecdsa_k1::decompress_pubkey';
add(`04${K1_FULL}`, DECOMPRESS, x(K1_KEY));
add(`04${K1_FULL}`, DECOMPRESS, x(`04${K1_FULL}`));
addChainOnly(`04${K1_FULL}`, DECOMPRESS, x(`06${K1_FULL}`));
add(2, DECOMPRESS, x(`07${K1_FULL}`));
addChainOnly(2, DECOMPRESS, x(`05${K1_KEY.slice(2)}`));
add(2, DECOMPRESS, x(K1_KEY.slice(2)));
add(2, DECOMPRESS, x(`02${'ff'.repeat(32)}`));
add(2, DECOMPRESS, x(`02${'00'.repeat(31)}05`));
add(2, DECOMPRESS, x('00'));

// Project Wycheproof, ecdsa_secp256k1_sha256_p1363_test.json: 1 (with a low s), 2, 4, 5, and 11 to 26.
const WYCHEPROOF_K1_KEY =
  '04b838ff44e5bc177bf21189d0766082fc9d843226887fc9760371100b7ee20a6ff0c9d75bfba7b31a6bca1974496eeb56de357071955d83c4b1badaa0b21832e9';
const DIGITS = x('313233343030');
const WYCHEPROOF_K1 =
  '813ef79ccefa9a56f7ba805f0e478584fe5f0dd5f567bc09b5123ccbc98323656ff18a52dcc0336f7af62400a6dd9b810732baf1ff758000d6f613a556eb31ba';
add(true, K1, x(WYCHEPROOF_K1), x(WYCHEPROOF_K1_KEY), DIGITS, 1);
add(false, K1, x(mirrored(WYCHEPROOF_K1, K1_ORDER)), x(WYCHEPROOF_K1_KEY), DIGITS, 1);
add(
  false,
  K1,
  x(`01813ef79ccefa9a56f7ba805f0e478583b90deabca4b05c4574e49b5899b964a600${WYCHEPROOF_K1.slice(64)}`),
  x(WYCHEPROOF_K1_KEY),
  DIGITS,
  1,
);
add(
  false,
  K1,
  x(`7ec10863310565a908457fa0f1b87a79bc4fcf10b9e0e4320ac021c106b31ddc${WYCHEPROOF_K1.slice(64)}`),
  x(WYCHEPROOF_K1_KEY),
  DIGITS,
  1,
);
const K1_FIELD = 'fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f';
for (const r of [ZERO, ONE, K1_ORDER]) {
  for (const s of [ZERO, ONE, K1_ORDER, K1_FIELD]) add(false, K1, x(r + s), x(WYCHEPROOF_K1_KEY), DIGITS, 1);
}

// RFC 6979, A.2.5: P-256 with SHA-256. The first signature has a high s, so its mirror image is the valid one.
const R1 = 'sui::ecdsa_r1::secp256r1_verify';
const R1_RECOVER = 'sui::ecdsa_r1::secp256r1_ecrecover';
const R1_ORDER = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
const R1_FULL =
  '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299';
const R1_KEY = `03${R1_FULL.slice(0, 64)}`;
const SAMPLE =
  'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8';
const TEST =
  'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083';
for (const key of [R1_KEY, `04${R1_FULL}`]) {
  add(true, R1, x(TEST), x(key), '&b"test"', 1);
  add(true, R1, x(mirrored(SAMPLE, R1_ORDER)), x(key), '&b"sample"', 1);
  add(false, R1, x(SAMPLE), x(key), '&b"sample"', 1);
}
add(false, R1, x(TEST), x(`02${R1_FULL.slice(0, 64)}`), '&b"test"', 1);
add(false, R1, x(TEST), x(`06${R1_FULL}`), '&b"test"', 1);
add(false, R1, x(TEST), x(`07${R1_FULL}`), '&b"test"', 1);
// SEC 1's compact form, x alone, stands for the smaller y; Wycheproof's key has the larger one.
add(true, R1, x(TEST), x(`05${R1_FULL.slice(0, 64)}`), '&b"test"', 1);
add(false, R1, x(TEST), x(R1_KEY), '&b"test"', 0);
add(false, R1, x(TEST), x(R1_KEY), '&b"test"', 2);
add(false, R1, x(TEST), x(R1_KEY), '&b"tests"', 1);
add(false, R1, x(`${TEST}00`), x(R1_KEY), '&b"test"', 1);
add(false, R1, x(TEST.slice(2)), x(R1_KEY), '&b"test"', 1);
add(false, R1, x(TEST), x(''), '&b"test"', 1);
add(R1_KEY, R1_RECOVER, x(`${TEST}00`), '&b"test"', 1);
add(R1_KEY, R1_RECOVER, x(`${mirrored(TEST, R1_ORDER)}01`), '&b"test"', 1);
add(0, R1_RECOVER, x(`${TEST}00`), '&b"test"', 2);
add(0, R1_RECOVER, x(`${TEST}02`), '&b"test"', 1);
addChainOnly(0, R1_RECOVER, x(`${TEST}04`), '&b"test"', 1);
add(1, R1_RECOVER, x(TEST), '&b"test"', 1);
for (const zero of [ZERO + ZERO, ONE + ZERO, ZERO + ONE, R1_ORDER + ONE, ONE + R1_ORDER]) {
  add(1, R1_RECOVER, x(`${zero}00`), x('00'), 1);
}
// Project Wycheproof, ecdsa_secp256r1_sha256_p1363_test.json: 1, its mirror image, 4, and 11 to 26.
const WYCHEPROOF_R1_KEY =
  '042927b10512bae3eddcfe467828128bad2903269919f7086069c8c4df6c732838c7787964eaac00e5921fb1498a60f4606766b3d9685001558d1a974e7341513e';
const WYCHEPROOF_R1 =
  '2ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e184cd60b855d442f5b3c7b11eb6c4e0ae7525fe710fab9aa7c77a67f79e6fadd76';
add(true, R1, x(WYCHEPROOF_R1), x(WYCHEPROOF_R1_KEY), DIGITS, 1);
add(false, R1, x(mirrored(WYCHEPROOF_R1, R1_ORDER)), x(WYCHEPROOF_R1_KEY), DIGITS, 1);
add(
  false,
  R1,
  x(`d45c5740946b2a147f59262ee6f5bc90bd01ed280528b62b3aed5fc93f06f739${WYCHEPROOF_R1.slice(64)}`),
  x(WYCHEPROOF_R1_KEY),
  DIGITS,
  1,
);
add(false, R1, x(WYCHEPROOF_R1), x(`05${WYCHEPROOF_R1_KEY.slice(2, 66)}`), DIGITS, 1);
const R1_FIELD = 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff';
for (const r of [ZERO, ONE, R1_ORDER]) {
  for (const s of [ZERO, ONE, R1_ORDER, R1_FIELD]) add(false, R1, x(r + s), x(WYCHEPROOF_R1_KEY), DIGITS, 1);
}

// Beacons of the League of Entropy: quicknet's round 1000 (signatures of 48 bytes), the default chain's round 1.
const MIN_SIG = 'sui::bls12381::bls12381_min_sig_verify';
const MIN_PK = 'sui::bls12381::bls12381_min_pk_verify';
const QUICKNET = {
  signature:
    'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39',
  key: '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
  // SHA-256 of the round's number.
  message: 'f652498d092acd949bad74e40683bf3824fb817980504a0c7e6722cfc5a9c0a3',
};
const CHAINED = {
  signature:
    '8d61d9100567de44682506aea1a7a6fa6e5491cd27a0a0ed349ef6910ac5ac20ff7bc3e09d7c046566c9f7f3c6f3b10104990e7cb424998203d8f7de586fb7fa5f60045417a432684f85093b06ca91c769f0e7ca19268375e659c2a2352b4655',
  key: '868f005eb8e6e4ca0a47c8a77ceaa5309a47978a7c71bc5cce96366b5d7a569937c529eeda66c7293784a9402801af31',
  // SHA-256 of the previous signature and the round's number.
  message: '3bdd496a35f3c3b6b4318da8b77d3ce4793cbdf26e08156f6fd8c49e85b727cb',
};
const infinity = (bytes: number) => `c0${'00'.repeat(bytes - 1)}`;
for (const [name, { signature, key, message }] of [
  [MIN_SIG, QUICKNET],
  [MIN_PK, CHAINED],
] as const) {
  add(true, name, x(signature), x(key), x(message));
  addChainOnly(false, name, x(signature), x(key), x(spoil(message, 0)));
  addChainOnly(false, name, x(spoil(signature, 47)), x(key), x(message));
  addChainOnly(false, name, x(signature), x(spoil(key, 47)), x(message));
  addChainOnly(false, name, x(signature.slice(2)), x(key), x(message));
  addChainOnly(false, name, x(''), x(''), x(message));
  addChainOnly(false, name, x(infinity(signature.length / 2)), x(key), x(message));
  addChainOnly(false, name, x(infinity(signature.length / 2)), x(infinity(key.length / 2)), x(message));
}

export const KNOWN_ANSWERS: readonly KnownAnswer[] = known;

function typeOf({ answer, body }: KnownAnswer): string {
  return typeof answer === 'boolean' || body.includes('_verify(') ? 'bool' : 'vector<u8>';
}

function suiteOf(name: string, answers: KnownAnswer[]): Suite {
  return { name, members: '', cases: answers.map((each) => ({ returns: typeOf(each), body: each.body })) };
}

/** Every call with a known answer. */
export const KNOWN_SUITE: Suite = suiteOf('known', known);

/** Those that both machines can be asked. */
export const SIGNATURES_SUITE: Suite = suiteOf(
  'signatures',
  known.filter((each) => !each.chainOnly),
);
