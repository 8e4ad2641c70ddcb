import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GUARDED, OTHER_GOAL, pipelineText } from '../support/gate/guarded-document.ts'
import { GuardedService, md5 } from '../support/gate/guarded-service.ts'
import { shared } from '../support/programs/at-end.ts'

const RULES = `version: 1
rules:
  - name: frozen
    match: { entity: [group/pay, pipeline in group/pay, agent/*] }
    effect: deny
    message: "Ask #payments-ops"
`
const FORM = 'application/x-www-form-urlencoded'
const VERSIONED = 'application/vnd.go.cd.v1+json'
const CREATED =
  'scm=git&url=https%3A%2F%2Fexample.org%2Fn&builder=exec&command=make&pipelineGroup=pay'
const SAVED = new URLSearchParams({ xmlFile: OTHER_GOAL, md5: md5(GUARDED) })

interface Call extends RequestInit {
  readonly path: string
}

function multipart(): FormData {
  const form = new FormData()
  form.set('xmlFile', new Blob([OTHER_GOAL]), 'cruise-config.xml')
  form.set('md5', md5(GUARDED))
  return form
}

/** Calls of clients that know nothing of rules, as each of them sends it. */
const CALLS: Readonly<Record<string, Call>> = {
  'a form with the document': { path: '/api/admin/config.xml', method: 'POST', body: SAVED },
  'a form with the document as a file': {
    path: '/api/admin/config.xml',
    method: 'POST',
    body: multipart(),
  },
  'the form at its older address, asked for a page': {
    path: '/admin/restful/configuration/file/POST/xml',
    method: 'POST',
    headers: { accept: 'text/html' },
    body: SAVED,
  },
  'the document itself': {
    path: '/api/admin/config.xml',
    method: 'PUT',
    headers: { 'if-match': `"${md5(GUARDED)}"`, 'content-type': 'text/xml' },
    body: OTHER_GOAL,
  },
  'one entity': {
    path: '/api/config/entities/pipeline/bill',
    method: 'PUT',
    headers: { 'if-match': '*', accept: VERSIONED },
    body: pipelineText('bill', OTHER_GOAL).trim(),
  },
  'a new pipeline': {
    path: '/tab/admin/pipelines/fresh.json',
    method: 'POST',
    headers: { 'content-type': FORM },
    body: CREATED,
  },
  'an older revision, without a body': {
    path: '/api/config/revisions/MADE/restore',
    method: 'POST',
    headers: { accept: VERSIONED },
  },
  'an older revision, with an empty object': {
    path: '/api/config/revisions/MADE/restore',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  },
  'disabling an agent without a body': { path: '/api/agents/u1/disable', method: 'POST' },
  'disabling an agent with an empty form': {
    path: '/api/agents/u1/disable',
    method: 'POST',
    headers: { 'content-type': FORM, accept: VERSIONED },
    body: '',
  },
  'changing an agent with JSON': {
    path: '/api/agents/u1',
    method: 'PATCH',
    headers: { 'content-type': 'application/json', accept: VERSIONED },
    body: '{"resources":["linux"]}',
  },
  'changing an agent with a form': {
    path: '/api/agents/u1',
    method: 'PATCH',
    headers: { 'content-type': FORM },
    body: 'resources=linux',
  },
}

const Refusal = z.object({ message: z.string(), needs: z.array(z.object({ rule: z.string() })) })

describe('a client that knows nothing of rules', () => {
  const opened = shared(() => GuardedService.open())
  let made = ''
  beforeAll(async () => {
    const guarded = opened()
    await guarded.put(OTHER_GOAL)
    made = (await guarded.revisions())[0]?.commitSHA ?? ''
    await guarded.put(GUARDED)
    await guarded.rules(RULES)
  })

  it.each(Object.entries(CALLS))('is told why it is refused: %s', async (_what, call) => {
    const guarded = opened()
    const { path, ...init } = call
    const answer = await guarded.service.fetch(path.replace('MADE', made), {
      ...init,
      as: 'root:p',
    })
    const text = await answer.text()

    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      403,
      'application/json; charset=utf-8',
    ])
    const { message, needs } = Refusal.parse(JSON.parse(text))
    expect(message).toContain('The rule frozen ')
    expect(needs).toEqual([{ rule: 'frozen' }])
    expect(await guarded.document()).toBe(GUARDED)
  })
})
