/** The facts that an agent sends with every call. */
export const AGENT_FACTS = {
  instance: 'i',
  hostname: 'h',
  ip_address: '127.0.0.1',
  sandbox: '/s',
  operating_system: 'Linux',
  free_space: 1,
  version: '1',
}

/** The body of a call of an idle agent. */
export const CONTACT_BODY = JSON.stringify({
  ...AGENT_FACTS,
  runtime_status: 'Idle',
  job_id: null,
  stopping: false,
})
