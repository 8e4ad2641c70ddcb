import { securedDocument } from '../secured-document.ts'
import type { WrittenRow } from './permission-row.ts'

const MATERIAL = 'url=https%3A%2F%2Fexample.org%2Fx'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const DRAFT = new URLSearchParams({ xml: securedDocument(), basedOn: '0'.repeat(32) })
const SAVING = new URLSearchParams({ xmlFile: securedDocument(), md5: '0'.repeat(32) })

/** The configuration: calls, the repository for git, pages. */
export const CONFIG_ROWS: readonly WrittenRow[] = [
  { call: 'GET /api/admin/config.xml', allowed: 200 },
  { call: 'GET /api/admin/config/current.xml', allowed: 200 },
  { call: 'GET /admin/restful/configuration/file/GET/xml', allowed: 200 },
  { call: 'GET /api/admin/config/{digest}.xml', allowed: 404 },
  { call: 'GET /api/config/revisions', allowed: 200 },
  {
    call: 'GET /api/config/revisions',
    query: '?entity=pipeline/alpha',
    allowed: 200,
  },
  { call: 'GET /api/config/revisions/{offset}', allowed: 200 },
  { call: 'GET /api/config/watch', allowed: 200 },
  { call: 'GET /api/config/diff/{from}/{to}', allowed: 404 },
  { call: 'GET /config/diff/{from}/{to}', allowed: 301 },
  { call: 'GET /api/config/changes/{from}/{to}', allowed: 404 },
  { call: 'POST /api/admin/config.xml', allowed: 409, body: SAVING },
  {
    call: 'POST /admin/restful/configuration/file/POST/xml',
    allowed: 409,
    body: SAVING,
  },
  {
    call: 'PUT /api/admin/config.xml',
    allowed: 200,
    headers: { 'if-match': '*' },
    body: securedDocument(),
  },
  { call: 'POST /api/config/revisions/{commit}/restore', allowed: 404 },
  {
    call: 'POST /api/config/revisions/{commit}/acknowledge-secrets',
    allowed: 404,
  },
  {
    call: 'POST /tab/admin/pipelines/{name}.json',
    allowed: 409,
    headers: FORM,
    body: `${MATERIAL}&pipelineGroup=first`,
  },
  {
    call: 'POST /tab/admin/pipelines/{name}.json',
    may: 'administrator',
    allowed: 409,
    headers: FORM,
    body: `${MATERIAL}&pipelineGroup=fresh`,
  },

  { call: 'GET /git/config.git/info/refs', allowed: 200 },
  { call: 'GET /git/config.git/HEAD', allowed: 200 },
  { call: 'GET /git/config.git/objects/{object}', allowed: 404 },
  {
    call: 'POST /git/config.git/git-upload-pack',
    allowed: 200,
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
    body: '0000',
  },
  {
    call: 'POST /git/config.git/git-receive-pack',
    allowed: 200,
    headers: { 'content-type': 'application/x-git-receive-pack-request' },
    body: '0000',
  },

  { call: 'GET /config', may: 'administrator', allowed: 200 },
  { call: 'GET /config/feed.atom', may: 'administrator', allowed: 200 },
  { call: 'GET /config/feed.json', may: 'administrator', allowed: 200 },
  { call: 'GET /config/at', query: '?time=2030-01-01', may: 'administrator', allowed: 302 },
  { call: 'GET /config/at/{time}', may: 'administrator', allowed: 302 },
  { call: 'GET /config/compare', query: '?a=r1&b=r1', may: 'user', allowed: 303 },
  { call: 'GET /config/compare/{from}/{to}', may: 'administrator', allowed: 404 },
  { call: 'GET /config/compare/{from}/{to}.patch', may: 'administrator', allowed: 404 },
  { call: 'GET /config/edit', may: 'administrator', allowed: 200 },
  { call: 'POST /config/edit/check', may: 'administrator', allowed: 412, body: DRAFT },
  { call: 'POST /config/edit', may: 'administrator', allowed: 412, body: DRAFT },
  {
    call: 'GET /config/entity/{kind}',
    places: { kind: 'server' },
    may: 'administrator',
    allowed: 200,
  },
  { call: 'GET /config/entity/{kind}/{name}', may: 'viewer', allowed: 200 },
  {
    call: 'GET /config/entity/{kind}/compare/{from}/{to}',
    places: { kind: 'server' },
    may: 'administrator',
    allowed: 404,
  },
  {
    call: 'GET /config/entity/{kind}/{name}/compare/{from}/{to}',
    may: 'viewer',
    allowed: 404,
  },
  { call: 'GET /config/compare/{from}/{to}/reveal', may: 'user', allowed: 303 },
  { call: 'POST /config/compare/{from}/{to}/reveal', may: 'administrator', allowed: 404 },
  { call: 'GET /config/{name}/reveal', may: 'user', allowed: 303 },
  {
    call: 'POST /config/{name}/reveal',
    places: { name: '0'.repeat(40) },
    may: 'administrator',
    allowed: 404,
  },
  { call: 'GET /config/{name}', may: 'administrator', allowed: 404 },
  { call: 'GET /config/{name}/restore', may: 'administrator', allowed: 404 },
  { call: 'GET /config/{name}/undo', may: 'administrator', allowed: 404 },
  {
    call: 'POST /config/{name}/undo',
    may: 'administrator',
    allowed: 404,
    headers: FORM,
    body: `basedOn=${'0'.repeat(32)}`,
  },
  {
    call: 'GET /config/entity/{kind}/{name}/restore/{from}',
    may: 'administrator',
    allowed: 404,
  },
  {
    call: 'POST /config/entity/{kind}/{name}/restore/{from}',
    may: 'administrator',
    allowed: 404,
    headers: FORM,
    body: `basedOn=${'0'.repeat(32)}`,
  },
  {
    call: 'POST /config/{name}/restore',
    may: 'administrator',
    allowed: 404,
    headers: FORM,
    body: `basedOn=${'0'.repeat(32)}`,
  },
]
