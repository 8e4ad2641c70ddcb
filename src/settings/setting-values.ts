import { delimiter } from 'node:path'
import { z } from 'zod'
import { firstMomentOf, lastMomentOf } from '../lib/moments.ts'
import { withoutTrailingSlashes } from '../lib/texts.ts'

// The type of a flag or a variable. Refuses an unfit value with the message given here.

export const NonEmpty = z.string().min(1, 'is empty')
export const Optional = NonEmpty.nullable().default(null)
/** An address or a name; whether the system knows it shows when it is listened on. */
export const Host = z.string().regex(/^[\w.:%-]+$/, 'is not an address or a host name')
export const BasePath = z
  .string()
  .transform(withoutTrailingSlashes)
  .refine(
    (path) => path === '' || /^(\/[A-Za-z0-9._~-]+)+$/.test(path),
    'is not a path such as /go',
  )
export const FileName = NonEmpty.refine(
  (name) => name.split('/').every((part) => !['', '.', '..', '.git'].includes(part)),
  'is not the name of a file in the repository',
)
/** An address that is shown on pages and given to others, who have no use for credentials in it. */
export const ServerUrl = NonEmpty.refine(
  (url) => /^https?:/.test(url) && URL.canParse(url),
  'is not a URL',
).refine(
  (url) => !URL.canParse(url) || userInfoOf(url) === '',
  'has a user name or password in it, which is not used',
)
/** The provider authenticates users: the connection must be protected, except on this machine. */
export const Issuer = ServerUrl.refine(
  (url) => /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(url),
  'is not an address with https',
)
/** The client takes the first `@` for the end of the password, and decodes every part. */
export const DatabaseUrl = NonEmpty.refine(
  (url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url),
  'is not an address such as postgres://cairn@host/cairn',
)
  .refine(
    (url) => (url.split('?')[0] ?? '').split('@').length <= 2,
    'has more than one @: one of the password is written %40',
  )
  .refine(isPercentEncoded, 'has a % that begins no encoded character: a % is written %25')
export const Port = z
  .string()
  .regex(/^\d{1,5}$/, 'is not a port')
  .transform(Number)
  .refine((port) => port <= 65_535, 'is not a port')
/** A date, or a date and a time, as ISO 8601 writes them, in UTC without a zone; the value is in milliseconds. */
export const DateOrTime = momentBy(firstMomentOf)
/** The same for the end of a time: a date means its last moment. */
export const LastDateOrTime = momentBy(lastMomentOf)
export const CommaList = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

function momentBy(momentOf: (text: string) => number | null) {
  return z.string().transform((text, context) => {
    const time = /^\d{4}-\d\d-\d\d/.test(text) ? momentOf(text) : null
    if (time !== null) return time
    context.addIssue('is not a date such as 2015-12-01 or a time such as 2015-12-01T14:00Z')
    return z.NEVER
  })
}

function userInfoOf(url: string): string {
  const { username, password } = new URL(url)
  return username + password
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

const AddressOrNetwork = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

/** Addresses of machines or networks, not names. */
export const IpAddresses = CommaList.refine(
  (addresses) => addresses.every((each) => AddressOrNetwork.safeParse(each).success),
  'is not an IP address such as 127.0.0.1 or a network such as 10.0.0.0/8, or several with commas between',
)

/** Folders, each by its own flag; in the variable separated as in `PATH`. */
export const Folders = z
  .union([z.array(NonEmpty), z.string().transform((text) => text.split(delimiter))])
  .transform((folders) => folders.filter((folder) => folder !== ''))
  .meta({ isRepeatable: true })

/** One address or more, each by its own flag; in the variable separated by commas. */
export const ServerUrls = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(',').map((url) => url.trim()) : given),
  z.tuple([ServerUrl], ServerUrl),
)

export const THIS_MACHINE = /^ldap:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/
export const LdapUrls = CommaList.refine(
  (urls) => urls.every((url) => /^ldaps?:\/\/[^/?#@]+\/?$/.test(url) && URL.canParse(url)),
  'is not an address such as ldaps://directory.example.org',
)
/** Names of attributes and values as RFC 4515 writes them, with the place of the name. */
export const LdapFilter = NonEmpty.refine(
  (filter) => /^\(.*\)$/.test(filter) && /\([A-Za-z][\w.;-]*=\{user\}\)/.test(filter),
  'is not a filter with a part such as (uid={user})',
)

/** A number and a unit; the value is in the smallest unit of the table. */
function quantity(units: ReadonlyMap<string, number>, reason: string) {
  return z.string().transform((text, context) => {
    const [, amount, unit] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? []
    const value = Math.round(Number(amount) * (units.get(unit ?? '') ?? Number.NaN))
    if (value >= 1 && value <= Number.MAX_SAFE_INTEGER) return value
    context.addIssue(reason)
    return z.NEVER
  })
}

const MILLISECONDS = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
])
const BYTES = new Map([
  ['', 1],
  ['KiB', 1_024],
  ['MiB', 1_048_576],
  ['GiB', 1_073_741_824],
  ['TiB', 1_099_511_627_776],
])
const AnyDuration = quantity(MILLISECONDS, 'is not a duration such as 5s')
/** A timer of Node waits no longer than 2^31 milliseconds. */
export const Duration = AnyDuration.refine(
  (duration) => duration <= 2_000_000_000,
  'is more than 2000000s, which is 23 days',
)
export const Size = quantity(BYTES, 'is not a size such as 32MiB').refine(
  (size) => size <= 2_000_000_000,
  'is more than 2000000000 bytes, which is 1.8GiB',
)
/** Of a disk rather than of memory. */
export const LargeSize = quantity(BYTES, 'is not a size such as 10GiB')

/** The lifetime of an invitation: 30 days at most, as for a call. */
export const Validity = AnyDuration.refine(
  (validity) => validity <= 720 * 3_600_000,
  'is more than 720h, which is 30 days',
)

/** Agents make contact three times as often, which is not to be most of what they and the server do. */
const MIN_AGENT_TIMEOUT_MS = 1_000
export const AgentTimeout = Duration.refine(
  (timeout) => timeout >= MIN_AGENT_TIMEOUT_MS,
  `is less than ${MIN_AGENT_TIMEOUT_MS / 1_000}s`,
)

/** A flag without a value, given or not. Its variable is `true` or `false`. */
export const Switch = z
  .stringbool({ truthy: ['true'], falsy: ['false'], error: 'is neither true nor false' })
  .prefault('false')
  .meta({ isSwitch: true })
