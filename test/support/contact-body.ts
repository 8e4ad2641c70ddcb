/** What an idle agent says of itself when it calls. */
export const CONTACT_BODY = JSON.stringify({
  instance: 'i',
  hostname: 'h',
  ip_address: '127.0.0.1',
  sandbox: '/s',
  operating_system: 'Linux',
  free_space: 1,
  version: '1',
  runtime_status: 'Idle',
  job_id: null,
  stopping: false,
})
