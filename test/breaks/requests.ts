import type { Break } from './break.ts'

/** What is asked over HTTP, by programs and by people. */
export const BREAKS_OF_REQUESTS: readonly Break[] = [
  {
    behaviour: 'a limit allows its burst and no more',
    file: 'core/rate-limit.ts',
    find: '(burst - 1) * every',
    replace: 'burst * every',
    test: 'unit/core/rate-limit.test.ts',
  },
  {
    behaviour: 'a stop waits for no connection on which nothing was said',
    file: 'http/listen.ts',
    find: 'if (socket.bytesRead === 0) socket.destroy()',
    replace: 'void socket',
    test: 'unit/http/listen.test.ts',
  },
  {
    behaviour: 'who has the bytes gets no body',
    file: 'http/cached-response.ts',
    find: "['*', etag].includes(",
    replace: "['*'].includes(",
    test: 'http/conditional-get.test.ts',
  },
  {
    behaviour: 'a page of another site cannot call under its own name',
    file: 'http/allowed-hosts.ts',
    find: 'return isLocal || isIP(host) === 4 || this.#names.has(host)',
    replace: "return isLocal || host !== ''",
    test: 'http/hostile/foreign-hosts.test.ts',
  },
  {
    behaviour: 'a browser takes no answer for another kind',
    file: 'http/request-context.ts',
    find: "'x-content-type-options': 'nosniff'",
    replace: "'x-content-type-options': 'sniff'",
    test: 'http/inert-answers.test.ts',
  },
  {
    behaviour: 'a proxy is known however its address is written',
    file: 'http/address-list.ts',
    find: 'for (const text of texts) {',
    replace: "for (const text of texts.filter((each) => !each.includes(':'))) {",
    test: 'http/trusted-proxies.test.ts',
  },
  {
    behaviour: 'a token is good for its scope alone',
    file: 'api/token-scopes.ts',
    find: 'isScopeEnough(scope, credential.scope)',
    replace: 'isScopeEnough(credential.scope, credential.scope)',
    test: 'http/identities/tokens.test.ts',
  },
  {
    behaviour: 'the last byte of a range is sent',
    file: 'api/builds/file-routes.ts',
    find: 'Number(last) + 1',
    replace: 'Number(last)',
    test: 'http/builds/downloads.test.ts',
  },
  {
    behaviour: 'a revision whose lines are not counted yet says so',
    file: 'pages/history/history-table.tsx',
    find: 'not counted yet',
    replace: '',
    test: 'unit/pages/history-page.test.ts',
  },
  {
    behaviour: 'a text of others is no HTML',
    file: 'pages/frame/escape.ts',
    find: "['<', '&lt;']",
    replace: "['<', '<']",
    test: 'http/pages/snapshot.test.ts',
  },
]
