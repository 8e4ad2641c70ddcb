import { z } from 'zod'
import { JobReport } from '../../core/builds/job.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import { ContactReply, ContactRequest } from '../../wire/agent-contact.ts'
import { ArtifactListing, ConsoleReply } from '../../wire/agent-job-report.ts'
import { AGENT_PATTERNS } from '../../wire/agent-paths.ts'
import { RegisterReply, RegisterRequest } from '../../wire/agent-registration.ts'
import { ArtifactKind, WorkReply, WorkRequest } from '../../wire/agent-work.ts'
import { type Answer, JSON_TYPE, jsonAnswer, type Operations } from './operation.ts'

const tag = 'Agents’ protocol'
const BYTES = { required: true, content: [{ type: '*/*', schema: null }] }

function message(schema: z.ZodType) {
  const content = [{ type: JSON_TYPE, schema, keys: 'snake_case' as const }]
  return { required: true, content }
}

function reply(text: string, schema: z.ZodType): Answer {
  return { text, content: message(schema).content }
}

/** What the build agent says to the server. */
export const AGENT_OPERATIONS: Operations = {
  [`POST ${AGENT_PATTERNS.register}`]: {
    tag,
    summary: 'An agent makes itself known',
    caller: 'newAgent',
    body: message(RegisterRequest),
    answers: { 200: reply('Its token', RegisterReply) },
    errors: [
      'malformed-request',
      'body-too-large',
      'agent-taken',
      'key-refused',
      'too-many-requests',
    ],
  },
  [`POST ${AGENT_PATTERNS.contact}`]: {
    tag,
    summary: 'An agent tells what it does, and hears what to do',
    caller: 'agent',
    body: message(ContactRequest),
    answers: { 200: reply('An instruction', ContactReply) },
    errors: ['malformed-request', 'body-too-large', 'agent-taken'],
  },
  [`POST ${AGENT_PATTERNS.work}`]: {
    tag,
    summary: 'An agent asks for a job; held until there is one, for about 15 seconds',
    caller: 'agent',
    body: message(WorkRequest),
    answers: { 200: reply('A job, or none', WorkReply) },
    errors: ['malformed-request', 'body-too-large', 'agent-taken', 'not-permitted'],
  },
  [`POST ${AGENT_PATTERNS.report}`]: {
    tag,
    summary: 'An agent reports the state of its job',
    caller: 'agent',
    body: message(JobReport),
    answers: { 200: jsonAnswer('Noted', MessageBody) },
    errors: ['malformed-request', 'body-too-large', 'job-not-found', 'job-not-yours'],
  },
  [`PUT ${AGENT_PATTERNS.console}`]: {
    tag,
    summary: 'An agent appends to the console of its job',
    caller: 'agent',
    query: {
      offset: { text: 'Bytes that the server has', schema: z.int().min(0), required: true },
    },
    body: BYTES,
    answers: { 200: reply('Bytes that the server has now', ConsoleReply) },
    errors: ['malformed-request', 'body-too-large', 'job-not-found', 'job-not-yours', 'disk-full'],
  },
  [`PUT ${AGENT_PATTERNS.artifact}`]: {
    tag,
    summary: 'An agent keeps a file of its job',
    caller: 'agent',
    query: { kind: { text: 'What the file is', schema: ArtifactKind, required: true } },
    body: BYTES,
    answers: { 201: jsonAnswer('Kept', MessageBody) },
    errors: ['malformed-request', 'body-too-large', 'job-not-found', 'job-not-yours', 'disk-full'],
  },
  [`GET ${AGENT_PATTERNS.listArtifacts}`]: {
    tag,
    summary: 'The files of a job, for the agent whose job fetches them',
    caller: 'agent',
    query: {
      job: {
        text: '`pipeline/counter/stage/counter/job`',
        schema: z.string(),
        required: true,
      },
      path: { text: 'A file or a folder of it', schema: z.string(), required: true },
    },
    answers: { 200: reply('Files', ArtifactListing) },
    errors: ['malformed-request', 'file-not-found', 'not-permitted'],
  },
}
