import { z } from 'zod'
import {
  DateOrTime,
  LastDateOrTime,
  NonEmpty,
  Optional,
  ServerUrl,
  Switch,
} from './setting-values.ts'

/** Settings of every command that asks a server. A token or password is never a flag: others would see it. */
const SERVER = {
  server: ServerUrl.describe('address of the server'),
  'token-file': Optional.describe('file with the token to log in with'),
  user: Optional.describe('user to log in as, with --password-file instead of a token'),
  'password-file': Optional.describe('file with the password of --user'),
  json: Switch.describe('print the answer as JSON'),
}

const Whole = z
  .string()
  .regex(/^\d{1,9}$/, 'is not a whole number')
  .transform(Number)
const Moment = DateOrTime.transform(isoOf)
const LastMoment = LastDateOrTime.transform(isoOf)
const ENTITY = {
  entity: Optional.describe('only this entity, such as `pipeline/shop`'),
}
const MESSAGE = { message: Optional.describe('why, for the history') }
const GROUP = { group: Optional.describe('group of a pipeline that is new') }
const EXIT_CODE = {
  'exit-code': Switch.describe('exit with 4 where something is different, or would be'),
}
const LIMIT = { limit: Whole.prefault('20').describe('how many at most') }
const BASE = {
  base: NonEmpty.describe(
    'revision that the text began from, such as r12; `any` replaces whatever is there, `none` adds an entity',
  ),
}

/** The settings of the commands that ask a server. */
export const CLIENT_SETTINGS = {
  history: z.object({
    ...SERVER,
    ...ENTITY,
    by: Optional.describe('only revisions of this user'),
    mentions: Optional.describe('only those with this text in author, reason, digest or summary'),
    since: Moment.nullable().default(null).describe('only those from this day or time on (UTC)'),
    until: LastMoment.nullable().default(null).describe('only those until this date or time (UTC)'),
    ...LIMIT,
  }),
  show: z.object({
    ...SERVER,
    ...ENTITY,
    xml: Switch.describe('print the XML of then, byte for byte'),
  }),
  diff: z.object({
    ...SERVER,
    ...ENTITY,
    words: Switch.describe('say the differences in words'),
    ...EXIT_CODE,
  }),
  blame: z.object({ ...SERVER, ...ENTITY }),
  search: z.object({ ...SERVER, ...ENTITY, ...LIMIT }),
  plan: z.object({
    ...SERVER,
    entity: Optional.describe('the file is the XML of this entity alone'),
    ...GROUP,
    message: Optional.describe('why, where a rule asks for a reason'),
    markdown: Switch.describe('print Markdown, for a comment on a pull request'),
    ...EXIT_CODE,
  }),
  save: z.object({
    ...SERVER,
    entity: Optional.describe('the file is the XML of this entity alone'),
    ...GROUP,
    ...BASE,
    ...MESSAGE,
  }),
  rollback: z.object({ ...SERVER, ...ENTITY, ...MESSAGE }),
  undo: z.object({
    ...SERVER,
    ...ENTITY,
    rest: Switch.describe('leave alone what was changed again since, instead of refusing'),
    ...MESSAGE,
  }),
  propose: z.object({
    ...SERVER,
    title: NonEmpty.describe('one line about the change'),
    message: Optional.describe('why'),
    when: Optional.describe('merge by itself: `approved`, or a time such as 2030-12-31T20:00Z'),
    base: Optional.describe('revision that the text began from, such as r12'),
    ...GROUP,
  }),
  approve: z.object({
    ...SERVER,
    seen: Whole.nullable()
      .default(null)
      .describe('version that was looked at; the newest one when absent'),
    message: Optional.describe('what to say with it'),
  }),
  rules: z.object({
    ...SERVER,
    since: Optional.describe('only changes after this revision, such as r12; all when absent'),
    ...LIMIT,
    ...EXIT_CODE,
  }),
  runs: z.object({ ...SERVER, ...LIMIT }),
  why: z.object({
    ...SERVER,
    from: Whole.nullable()
      .default(null)
      .describe('run to compare with; the last one that passed when absent'),
    stage: Optional.describe('stage in question; the first that did not pass when absent'),
  }),
} as const

function isoOf(time: number): string {
  return new Date(time).toISOString()
}
