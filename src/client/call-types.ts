import type { z } from 'zod'
import type { RESTORING_CALLS } from '../api/configuration/restoring-calls.ts'
import type { CallType } from '../api/definition/route.ts'
import type { ApiCall } from '../api/resources.ts'

/** Calls whose pattern is known to the compiler: that of a file of a job is put together. */
type Exact<Call extends CallType> = Call extends CallType
  ? string extends Call['path']
    ? never
    : Call
  : never

/** A call of the interface, or one that the pages carry out. */
type KnownCall = Exact<ApiCall> | (typeof RESTORING_CALLS)[keyof typeof RESTORING_CALLS]

type NameOf<Call extends CallType> = Call extends CallType
  ? `${Call['method']} ${Call['path']}`
  : never

/** The name of a call: its method and pattern, such as `GET /api/config/revisions`. */
export type CallName = NameOf<KnownCall>

type CallNamed<Name extends CallName, Call extends CallType = KnownCall> = Call extends CallType
  ? NameOf<Call> extends Name
    ? Call
    : never
  : never

type SuccessOf<Answers> = Answers[Extract<keyof Answers, 200 | 201 | 202>]

type BodyOf<Answer> = Answer extends {
  readonly content: readonly [{ readonly schema: infer Schema extends z.ZodType }]
}
  ? z.output<Schema>
  : string

/** The body of a successful answer: as its schema says, or text where it has none. */
export type AnswerOf<Name extends CallName> = BodyOf<SuccessOf<CallNamed<Name>['answers']>>
