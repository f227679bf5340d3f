"""Django project: settings, hosts, ASGI and WSGI entry points, admin site."""
