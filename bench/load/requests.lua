-- wrk script for requests from a file. Prints the result as one line of JSON.
-- Arguments: fixed | paths | bodies | patches (`PATH BODY`); a FILE, unless `fixed`; the line of the file to start with.
-- Without a `request` function wrk repeats a single request, which costs it least: so the function is
-- defined only if the requests differ. All requests are formatted before the clock starts.

local function lines(file)
  local all = {}
  for line in io.lines(file) do all[#all + 1] = line end
  return all
end

-- Every host name resolves to this machine.
function wrk.resolve(_, port)
  wrk.addrs = wrk.lookup('127.0.0.1', port)
end

function init(args)
  local mode, file, start = args[1], args[2], tonumber(args[3] or '0')
  if mode == 'fixed' then return end
  local requests = {}
  for index, line in ipairs(lines(file)) do
    if mode == 'paths' then
      requests[index] = wrk.format('GET', line)
    elseif mode == 'patches' then
      local path, body = line:match('(%S+) (.*)')
      wrk.headers['Content-Type'] = 'application/merge-patch+json'
      requests[index] = wrk.format('PATCH', path, nil, body)
    else
      requests[index] = wrk.format('POST', nil, nil, line)
    end
  end
  local count, at = #requests, start % #requests
  request = function()
    at = at % count + 1
    return requests[at]
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"p50Us":%d,"p99Us":%d,"refused":%d,' ..
    '"broken":%d,"late":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
