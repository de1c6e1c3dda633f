# OpenStack Swift with its S3 interface: the proxy, account, container and object servers of Debian's packages in one
# process, on free ports, with one device. Usage: swift-server.py FOLDER. Prints the port of the S3 interface when it
# accepts requests, and ends when its standard input is closed.
import os
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi
from eventlet.hubs import trampoline
from swift.common.ring import RingBuilder
from swift.common.utils import NullLogger
from swift.common.wsgi import loadapp

folder = sys.argv[1]
device = os.path.join(folder, 'devices', 'd1')
os.makedirs(device)


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = test\n\n[storage-policy:0]\nname = default\ndefault = yes\n')
import swift.common.utils as utils

utils.SWIFT_CONF_FILE = os.path.join(folder, 'swift.conf')
import swift.common.storage_policy as policies

policies.reload_storage_policies()
utils.validate_hash_conf()

common = f'[DEFAULT]\nswift_dir = {folder}\ndevices = {folder}/devices\nmount_check = false\n'


def serve(listening, conf):
    app = loadapp(conf, allow_modify_pipeline=False)
    eventlet.spawn(wsgi.server, listening, app, log=NullLogger(), log_output=False)


for name in ('account', 'container', 'object'):
    listening = eventlet.listen(('127.0.0.1', 0))
    builder = RingBuilder(0, 1, 1)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': listening.getsockname()[1], 'device': 'd1', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, f'{name}.ring.gz'))
    serve(listening, write(f'{name}.conf', f'{common}\n[pipeline:main]\npipeline = server\n\n[app:server]\nuse = egg:swift#{name}\n'))

proxy = eventlet.listen(('127.0.0.1', 0))
serve(proxy, write('proxy.conf', f'''{common}
[pipeline:main]
pipeline = catch_errors gatekeeper cache s3api tempauth proxy-server

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1

[filter:s3api]
use = egg:swift#s3api
location = us-east-1

[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
'''))

print(proxy.getsockname()[1], flush=True)
while True:
    trampoline(0, read=True)
    if not os.read(0, 4096):
        break
