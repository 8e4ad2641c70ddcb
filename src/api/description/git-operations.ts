import { z } from 'zod'
import type { Answer, Operation, Operations } from './operation.ts'

const tag = 'Git'
const bytes: Answer = { text: 'As git asks for it', content: [{ type: '*/*', schema: null }] }

function exchange(program: 'upload-pack' | 'receive-pack', summary: string): Operation {
  return {
    tag,
    summary,
    caller: 'administrator',
    body: {
      required: true,
      content: [{ type: `application/x-git-${program}-request`, schema: null }],
    },
    answers: { 200: bytes },
    errors: ['malformed-request'],
  }
}

/** The repository for clients of git. */
export const GIT_OPERATIONS: Operations = {
  'GET /git/config.git/info/refs': {
    tag,
    summary: 'Where a clone, a fetch or a push by git begins',
    caller: 'administrator',
    query: {
      service: { text: '`git-upload-pack` or `git-receive-pack`', schema: z.string() },
    },
    answers: { 200: bytes },
    errors: ['malformed-request'],
  },
  'GET /git/config.git/HEAD': {
    tag,
    summary: 'The branch that is served',
    caller: 'administrator',
    answers: { 200: bytes },
  },
  'GET /git/config.git/objects/:object{.+}': {
    tag,
    summary: 'An object or a pack, for clients that know no smart server',
    caller: 'administrator',
    parameters: { object: { text: 'As in the repository', schema: z.string().min(1) } },
    answers: { 200: bytes },
    errors: ['file-not-found'],
  },
  'POST /git/config.git/git-upload-pack': exchange('upload-pack', 'A clone or a fetch by git'),
  'POST /git/config.git/git-receive-pack': exchange(
    'receive-pack',
    'A push by git; the branch only moves forward, to valid configurations',
  ),
}
