import { z } from 'zod'
import { DOORS_OF_PEOPLE, DOORS_WITHOUT_CALLER } from '../../../core/change-origin.ts'

/** One text, or several of which one has to fit. */
const Texts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])

function oneOrMore<const Names extends readonly string[]>(names: Names) {
  return z.union([z.enum(names), z.array(z.enum(names)).min(1)])
}

const Doors = oneOrMore([...DOORS_OF_PEOPLE, ...DOORS_WITHOUT_CALLER])
const Kinds = oneOrMore(['added', 'changed', 'removed'])
export const Credentials = z.enum(['password', 'session', 'token'])
const Bound = z.union([z.int().min(0), z.string().regex(/^(?:>=?|<=?|=)\s*\d{1,9}$/)])

const PlanBounds = z.strictObject({
  starts: Bound.optional(),
  stops: Bound.optional(),
  gains: Bound.optional(),
  removes: Bound.optional(),
  jobsRunning: Bound.optional(),
  willNotRun: Bound.optional(),
})
export const PLAN_FACTS = PlanBounds.keyof().options

const EntityKeys = {
  entity: Texts.optional(),
  path: Texts.optional(),
  change: Kinds.optional(),
}

const MatchKeys = z.strictObject({
  ...EntityKeys,
  user: Texts.optional(),
  role: Texts.optional(),
  door: Doors.optional(),
  credential: oneOrMore(Credentials.options).optional(),
  plan: PlanBounds.optional(),
})

const NeededApproval = z.strictObject({
  approvals: z.int().min(1).max(20),
  of: z.string().min(1),
  when: z.strictObject(EntityKeys).optional(),
})
const NeededReason = z.strictObject({ reason: z.literal('required') })

const FixedWindow = z.strictObject({
  from: z.string().min(1),
  to: z.string().min(1),
  zone: z.string().min(1),
})
const WeeklyWindow = z.strictObject({ weekly: Texts, zone: z.string().min(1) })
const OneWindow = z.union([FixedWindow, WeeklyWindow])

const WrittenRule = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9][\w.-]{0,79}$/,
      'The name of a rule has 1 to 80 letters, digits, "_", "-" and ".", and begins with a letter or digit',
    ),
  match: MatchKeys.optional(),
  unless: z.strictObject({ only: Texts }).optional(),
  effect: z.enum(['need', 'warn', 'deny']).optional(),
  need: z
    .array(z.union([NeededApproval, NeededReason]))
    .min(1)
    .optional(),
  not: oneOrMore(['author', 'contributor']).optional(),
  override: z.strictObject({ by: Texts, reason: z.literal('required').optional() }).optional(),
  except: Texts.optional(),
  window: z.union([OneWindow, z.array(OneWindow).min(1)]).optional(),
  message: z.string().min(1).max(500).optional(),
})
export type WrittenRule = z.infer<typeof WrittenRule>

const ExamplePerson = z.strictObject({
  user: z.string().min(1),
  roles: z.array(z.string()).optional(),
  /** `server`, `group/NAME` or `template/NAME`. */
  administers: Texts.optional(),
})

const ExampleChange = z.strictObject({
  entity: z.string().min(1),
  change: z.enum(['added', 'changed', 'removed']).optional(),
  path: z.array(z.string()).optional(),
  group: Texts.optional(),
  environment: Texts.optional(),
})

const WrittenExample = z.strictObject({
  name: z.string().min(1).max(200),
  change: z.union([ExampleChange, z.array(ExampleChange).min(1)]),
  by: ExamplePerson.extend({ credential: Credentials.optional() }).optional(),
  door: z.enum([...DOORS_OF_PEOPLE, ...DOORS_WITHOUT_CALLER]).optional(),
  reason: z.string().optional(),
  at: z.iso.datetime({ offset: true }).optional(),
  plan: z.partialRecord(z.enum(PLAN_FACTS), z.int().min(0)).optional(),
  approvals: z.array(ExamplePerson).optional(),
  overrides: Texts.optional(),
  expect: z.strictObject({
    allowed: z.boolean().optional(),
    needs: Texts.optional(),
    denies: Texts.optional(),
    warns: Texts.optional(),
  }),
})
export type WrittenExample = z.infer<typeof WrittenExample>

/** The file of rules as it is written: closed, so that a mistyped key is no rule that does nothing. */
export const RulesFile = z.strictObject({
  version: z.literal(1),
  rules: z.array(WrittenRule).max(500),
  examples: z.array(WrittenExample).max(500).optional(),
})
export type RulesFile = z.infer<typeof RulesFile>

/** The JSON schema of the file, for editors. */
export function rulesJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(RulesFile, { io: 'input', target: 'draft-2020-12' })
}
